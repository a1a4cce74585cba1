-- Clients: the OAuth applications of a school, and one row per school for each vendor platform or client
-- metadata document that a member authorized there.

create table vendor_platforms (
  client_id text primary key check (length(client_id) between 1 and 200),
  client_name text not null unique check (length(client_name) between 1 and 200),
  redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 20),
  created_at timestamptz(3) not null default now()
);
comment on table vendor_platforms is 'clients: known integrations of this installation, matched by their exact name';

insert into vendor_platforms (client_id, client_name, redirect_uris) values
  ('claude', 'Claude', array[
    'https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback',
    'http://localhost/callback', 'http://127.0.0.1/callback']),
  ('chatgpt', 'ChatGPT', array[
    'https://chatgpt.com/connector_platform_oauth_redirect', 'http://127.0.0.1/callback']),
  ('cursor', 'Cursor', array[
    'cursor://anysphere.cursor-mcp/oauth/callback', 'http://localhost/callback', 'http://127.0.0.1/callback']),
  ('visual-studio-code', 'Visual Studio Code', array[
    'https://vscode.dev/redirect', 'http://127.0.0.1/', 'http://127.0.0.1/callback', 'http://localhost/']);

create table client_documents (
  url text primary key check (length(url) <= 2000),
  document jsonb,
  failure text check (length(failure) <= 500),
  fetched_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  check ((document is null) <> (failure is null))
);
comment on table client_documents is 'clients: fetched client metadata documents, and failures for a minute';

create table clients (
  school_id uuid not null references schools,
  client_id text not null check (length(client_id) between 1 and 2000),
  kind text not null check (kind in ('application', 'vendor', 'document')),
  audience text not null check (audience in ('member', 'operator')),
  name text not null check (length(name) between 1 and 200),
  confidential boolean not null default false,
  secret_hash bytea check (length(secret_hash) = 32),
  secret_rotated_at timestamptz(3),
  redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 50),
  scopes text[] not null check (cardinality(scopes) >= 1),
  created_by uuid references users,
  reviewed_by uuid references users,
  reviewed_at timestamptz(3),
  disabled_at timestamptz(3),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, client_id),
  check (confidential = (secret_hash is not null)),
  check (kind = 'application' or (audience = 'operator' and not confidential))
);
create index clients_by_time on clients (school_id, created_at, client_id);
comment on table clients is 'clients: keyed by school, so that review, disabling and foreign keys are the school''s own';
comment on column clients.deleted_at is 'the application is gone; the row stays for its past authorizations';

create trigger clients_touch before update on clients for each row execute function touch_row();
