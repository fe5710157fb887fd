"""Tests in a browser. A fixture lasts for a folder only if the folder is a package."""
