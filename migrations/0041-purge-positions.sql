-- The purge looks at each row a few times in its life, when it has a certain age, instead of at all rows every ten minutes.

create table purge_positions (
  name text primary key,
  position text not null,
  kept_at timestamptz(3) not null default now()
);
comment on table purge_positions is 'grants: how far each sweep of the purge has come';
