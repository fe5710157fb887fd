"""Portfolio: a personal site and blog on the table `DataTable`. See the README in this folder."""
