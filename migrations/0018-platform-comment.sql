-- A disabled platform keeps its version, so that it follows the list again once it is enabled.
comment on column vendor_platforms.shipped_version is
  'version of the shipped list that the row follows; null once the administrator added or changed it';
