"""The order files of PrefLib: soc, soi, toc and toi."""
