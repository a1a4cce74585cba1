-- What people can look at before they allow an app: where it comes from, what it does with their data, and its picture.
alter table clients add column website_url text;
alter table clients add column privacy_url text;
comment on column clients.website_url is 'where the app tells about itself, shown when people are asked for consent';
comment on column clients.privacy_url is 'what the app does with data, shown when people are asked for consent';

create table client_logos (
  school_id uuid not null,
  client_id text not null,
  id uuid not null,
  content_type text not null,
  bytes bytea not null,
  created_at timestamptz(3) not null default now(),
  constraint client_logos_pkey primary key (school_id, client_id),
  constraint client_logos_by_id unique (school_id, id),
  constraint client_logos_client_fkey foreign key (school_id, client_id) references clients (school_id, client_id)
    on update cascade on delete cascade,
  constraint client_logos_content_type check (content_type in ('image/png', 'image/jpeg', 'image/webp')),
  constraint client_logos_size check (octet_length(bytes) between 1 and 65536)
);
comment on table client_logos is 'clients: the picture that a school gave one of its applications';
comment on column client_logos.id is 'in the address of the picture; a new one for each new picture';
