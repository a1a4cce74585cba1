-- Events: events with a date, and the registrations of members.

create table events (
  school_id uuid not null references schools,
  id uuid not null,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 120),
  title text not null check (length(title) between 1 and 300),
  description text not null default '' check (length(description) <= 100000),
  state text not null default 'draft' check (state in ('draft', 'published', 'canceled')),
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  location text not null default '' check (length(location) <= 500),
  online_url text check (length(online_url) <= 2000),
  capacity integer check (capacity > 0),
  price_amount bigint not null default 0 check (price_amount >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  unique (school_id, slug),
  check (ends_at > starts_at)
);
create index events_by_time on events (school_id, created_at, id);
create index events_by_start on events (school_id, starts_at, id);
comment on table events is 'events: a gathering with a start, an end and perhaps a capacity';

create table event_registrations (
  school_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  user_id uuid not null,
  state text not null default 'registered' check (state in ('registered', 'attended', 'canceled')),
  registered_at timestamptz(3) not null default now(),
  canceled_at timestamptz(3),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  unique (school_id, event_id, user_id),
  foreign key (school_id, event_id) references events,
  foreign key (school_id, user_id) references school_members,
  check ((state = 'canceled') = (canceled_at is not null))
);
create index event_registrations_of_person on event_registrations (school_id, user_id, registered_at, id);
create index event_registrations_by_event on event_registrations (school_id, event_id, registered_at, id);
create statistics event_registrations_ids (dependencies) on school_id, event_id, user_id from event_registrations;
comment on table event_registrations is 'events: a member''s place at an event';

create trigger events_touch before update on events for each row execute function touch_row();
create trigger event_registrations_touch before update on event_registrations for each row execute function touch_row();
