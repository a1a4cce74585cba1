-- Platforms that the administrator can add, correct and disable, beside a list that comes with the program.

alter table vendor_platforms
  add column shipped_version integer check (shipped_version >= 1),
  add column disabled_at timestamptz(3),
  drop constraint vendor_platforms_redirect_uris_check,
  add constraint vendor_platforms_redirect_uris_check check (cardinality(redirect_uris) between 1 and 50);
comment on column vendor_platforms.shipped_version is
  'version of the shipped list that the row follows; null once the administrator added, changed or disabled it';
comment on column vendor_platforms.disabled_at is
  'no school accepts the platform; clients.platform_disabled_at has the same for the rows of schools';

-- A row that was corrected by hand follows no list.
update vendor_platforms set shipped_version = 1
where (client_id, client_name, redirect_uris) in (values
  ('claude', 'Claude', array[
    'https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback',
    'http://localhost/callback', 'http://127.0.0.1/callback']),
  ('chatgpt', 'ChatGPT', array[
    'https://chatgpt.com/connector_platform_oauth_redirect', 'http://127.0.0.1/callback']),
  ('cursor', 'Cursor', array[
    'cursor://anysphere.cursor-mcp/oauth/callback', 'http://localhost/callback', 'http://127.0.0.1/callback']),
  ('visual-studio-code', 'Visual Studio Code', array[
    'https://vscode.dev/redirect', 'http://127.0.0.1/', 'http://127.0.0.1/callback', 'http://localhost/']));

alter table clients add column platform_disabled_at timestamptz(3);
comment on column clients.platform_disabled_at is
  'the administrator disabled the platform at all schools; here too, so that the check of a token reads one row';
