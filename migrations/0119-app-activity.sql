-- What apps read and change, by kind of data and day: for the person who let them in, and for the school.
create table app_activity (
  school_id uuid not null references schools (id),
  authorization_id uuid not null,
  kind text not null check (length(kind) <= 40),
  day date not null,
  reads integer not null,
  changes integer not null,
  last_read_at timestamptz(3),
  last_changed_at timestamptz(3),
  primary key (school_id, authorization_id, kind, day)
) with (fillfactor = 90);
comment on table app_activity is 'grants: what an authorization was used for on a day of the last 30, counted once a minute';
comment on column app_activity.authorization_id is 'no foreign key: rows of a purged authorization go within 31 days by themselves';
comment on column app_activity.day is 'in the time zone of the school';
create index app_activity_by_day on app_activity (day);

-- The sum for the school: a large app has more authorizations than a page may read.
create table app_activity_sums (
  school_id uuid not null,
  client_id text not null,
  kind text not null check (length(kind) <= 40),
  day date not null,
  reads bigint not null,
  changes bigint not null,
  last_read_at timestamptz(3),
  last_changed_at timestamptz(3),
  primary key (school_id, client_id, kind, day),
  foreign key (school_id, client_id) references clients (school_id, client_id) on update cascade on delete cascade
) with (fillfactor = 90);
comment on table app_activity_sums is 'grants: the sums of app_activity by app, written with it';
create index app_activity_sums_by_day on app_activity_sums (day);
