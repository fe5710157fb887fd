"""Commands that the apps add to `singletable`, a file each, which import little until they run."""
