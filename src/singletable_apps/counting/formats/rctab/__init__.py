"""The rounds of an instant runoff in JSON, as RCTab writes them and RCVis reads them."""
