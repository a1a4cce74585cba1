-- Notifications: the inbox of a member at a school, and the topics the member subscribed to.

-- The check of kind has two parts because PostgreSQL unrolls a bounded repetition ({1,64}) at every match.
create table notifications (
  school_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  kind text not null check (length(kind) between 1 and 64 and kind !~ '[^a-z_]'),
  title text not null check (length(title) between 1 and 300),
  body text not null default '' check (length(body) <= 10000),
  url text check (length(url) <= 2000),
  created_at timestamptz(3) not null default now(),
  read_at timestamptz(3),
  primary key (school_id, id),
  foreign key (school_id, user_id) references school_members
);
create index notifications_by_time on notifications (school_id, user_id, created_at, id);
create index notifications_of_school on notifications (school_id, created_at, id);
create index notifications_unread on notifications (school_id, user_id) where read_at is null;
create statistics notifications_ids (dependencies) on school_id, user_id from notifications;
comment on table notifications is 'notifications: one entry in a member''s inbox';

create table notification_subscriptions (
  school_id uuid not null,
  user_id uuid not null,
  topic text not null check (topic ~ '^[a-z_]{1,64}$'),
  channel text not null check (channel in ('email', 'in_app')),
  enabled boolean not null,
  updated_at timestamptz(3) not null default now(),
  primary key (school_id, user_id, topic, channel),
  foreign key (school_id, user_id) references school_members
);
comment on table notification_subscriptions is 'notifications: whether a member wants a topic on a channel';
