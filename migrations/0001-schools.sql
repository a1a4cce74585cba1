-- Schools: the tenant, its appearance and its signing keys.
--
-- Rules for all migrations:
-- * One file per folder of src/domain. The comment of a table names the folder that owns the table; only
--   that folder writes to it.
-- * timestamptz(3): JavaScript dates have milliseconds, and cursors must compare equal.
-- * A table references schools only if none of its other foreign keys leads to the school. A second check
--   of the same school costs a sixth of the time of an insert.
-- * "create statistics … (dependencies)": an id belongs to one school, but PostgreSQL takes the two columns
--   for independent. With many schools it then expects one row for both and picks an index that has only
--   a part of the key; a check of one lecture read all lectures of the course. The statistics tell it
--   which columns depend on each other.

create function touch_row() returns trigger language plpgsql as $$
begin
  new.updated_at := now();
  new.version := old.version + 1;
  return new;
end $$;
comment on function touch_row is 'Stamps updated_at and counts the version that ETags are made of.';

create function announce_school() returns trigger language plpgsql as $$
declare
  changed jsonb := to_jsonb(coalesce(new, old));
begin
  perform pg_notify('school_changed', coalesce(changed ->> 'school_id', changed ->> 'id'));
  return null;
end $$;
comment on function announce_school is 'Tells every process to forget what it cached about a school.';

create table schools (
  id uuid primary key,
  subdomain text not null unique check (subdomain ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  origin text not null unique check (origin ~ '^https?://[^/?#@\s]+$' and origin = lower(origin)),
  name text not null check (length(name) between 1 and 200),
  description text not null default '' check (length(description) <= 5000),
  contact_email text check (length(contact_email) <= 320),
  locale text not null default 'en' check (locale ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'),
  time_zone text not null default 'UTC' check (length(time_zone) between 1 and 64),
  currency text not null default 'USD' check (currency ~ '^[A-Z]{3}$'),
  variant text not null default 'newer' check (variant in ('newer', 'older')),
  mcp_connections boolean not null default false,
  open_registration boolean not null default false,
  document_hosts text[] not null default '{}',
  end_authorization_on_replay boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1
);
comment on table schools is 'schools: one row per tenant, found by its origin';
comment on column schools.mcp_connections is 'the beta feature that reveals the OAuth applications area to operators';
comment on column schools.open_registration is 'client metadata documents from any host resolve';
comment on column schools.document_hosts is 'hosts whose client metadata documents resolve at this school';

create table appearances (
  school_id uuid primary key references schools,
  primary_color text not null default '#1f4b99' check (primary_color ~ '^#[0-9a-f]{6}$'),
  accent_color text not null default '#0f766e' check (accent_color ~ '^#[0-9a-f]{6}$'),
  logo_file_id uuid,
  tagline text not null default '' check (length(tagline) <= 300),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1
);
comment on table appearances is 'schools: what the pages of a school look like';

create table signing_keys (
  school_id uuid not null references schools,
  kid text not null check (length(kid) between 8 and 64),
  stage text not null check (stage in ('published', 'active', 'retired')),
  public_jwk jsonb not null,
  sealed_private_key bytea not null,
  published_at timestamptz(3) not null default now(),
  activated_at timestamptz(3),
  retired_at timestamptz(3),
  primary key (school_id, kid),
  check ((stage = 'published') = (activated_at is null and retired_at is null)
      or (stage = 'retired' and retired_at is not null)),
  check ((stage = 'active') = (activated_at is not null and retired_at is null))
);
create unique index signing_keys_one_active on signing_keys (school_id) where stage = 'active';
comment on table signing_keys is 'schools: ES256 keys; published first, active once every cache has them, retired last';

create trigger schools_touch before update on schools for each row execute function touch_row();
create trigger appearances_touch before update on appearances for each row execute function touch_row();
create trigger schools_announce after insert or update or delete on schools for each row execute function announce_school();
create trigger appearances_announce after insert or update or delete on appearances for each row execute function announce_school();
create trigger signing_keys_announce after insert or update or delete on signing_keys for each row execute function announce_school();
