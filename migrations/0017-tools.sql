-- Tools of a school's owners and admins: operator clients whose metadata document the school publishes itself,
-- at {origin}/clients/{slug}.json, which is their client_id.

alter table clients
  add column slug text check (slug ~ '^[a-z0-9][a-z0-9-]{1,58}[a-z0-9]$'),
  drop constraint clients_kind_check,
  add constraint clients_kind_check check (kind in ('application', 'vendor', 'document', 'tool')),
  add constraint clients_tool_has_slug check ((kind = 'tool') = (slug is not null));
comment on column clients.slug is 'name of a tool in its address; a deleted tool keeps it, so that it is never used again';
create unique index clients_by_slug on clients (school_id, slug) where slug is not null;

-- Discovery says whether a school has tools, and every process caches that with the school.
create trigger clients_announce after insert or update of deleted_at on clients
  for each row when (new.slug is not null) execute function announce_school();

-- The client_id of a tool is an address of its school, so it moves with the origin.
alter table authorization_codes
  drop constraint authorization_codes_school_id_client_id_fkey,
  add constraint authorization_codes_school_id_client_id_fkey
    foreign key (school_id, client_id) references clients on update cascade;
alter table authorizations
  drop constraint authorizations_school_id_client_id_fkey,
  add constraint authorizations_school_id_client_id_fkey
    foreign key (school_id, client_id) references clients on update cascade;

create function move_tools() returns trigger language plpgsql as $$
begin
  update clients set client_id = new.origin || '/clients/' || slug || '.json'
  where school_id = new.id and slug is not null;
  return null;
end $$;
comment on function move_tools is 'Gives the tools of a school the addresses of its new origin.';

create trigger schools_move_tools after update of origin on schools
  for each row when (new.origin <> old.origin) execute function move_tools();
