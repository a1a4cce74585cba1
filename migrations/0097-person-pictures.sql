-- The picture that a person chose. Its path is in users.avatar_url and is served at the origin of every school.
create table person_pictures (
  id uuid primary key,
  user_id uuid not null references users (id),
  content_type text not null check (content_type in ('image/png', 'image/jpeg', 'image/webp')),
  size_bytes integer not null check (size_bytes > 0),
  storage_key text not null,
  created_at timestamptz(3) not null default now(),
  unused_since timestamptz(3) default now()
);
comment on table person_pictures is 'people: pictures that people chose; the file store has their bytes';
comment on column person_pictures.unused_since is 'null while it is the picture of the person; others are removed after a while, with their bytes';
create index person_pictures_by_user on person_pictures (user_id);
create index person_pictures_unused on person_pictures (unused_since) where unused_since is not null;
