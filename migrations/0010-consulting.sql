-- Consulting: services for the students of a course, their weekly slots, meetings and study groups.

create table consulting_services (
  school_id uuid not null references schools,
  id uuid not null,
  title text not null check (length(title) between 1 and 300),
  description text not null default '' check (length(description) <= 20000),
  host_id uuid,
  state text not null default 'offered' check (state in ('offered', 'paused')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  foreign key (school_id, host_id) references school_members
);
create index consulting_services_by_time on consulting_services (school_id, created_at, id);
comment on table consulting_services is 'consulting: an offer of somebody''s time';

create table consulting_service_courses (
  school_id uuid not null,
  service_id uuid not null,
  course_id uuid not null,
  primary key (school_id, service_id, course_id),
  foreign key (school_id, service_id) references consulting_services on delete cascade,
  foreign key (school_id, course_id) references courses on delete cascade
);
create index consulting_service_courses_by_course on consulting_service_courses (school_id, course_id);
comment on table consulting_service_courses is 'consulting: whose students are offered a service';

create table consulting_slots (
  school_id uuid not null,
  id uuid not null,
  service_id uuid not null,
  weekday integer not null check (weekday between 1 and 7),
  starts_at time(0) not null,
  duration_minutes integer not null check (duration_minutes between 5 and 1440),
  time_zone text not null check (length(time_zone) between 1 and 64),
  capacity integer not null default 1 check (capacity > 0),
  primary key (school_id, id),
  foreign key (school_id, service_id) references consulting_services on delete cascade
);
create index consulting_slots_by_service on consulting_slots (school_id, service_id, weekday, starts_at);
create statistics consulting_slots_ids (dependencies) on school_id, service_id from consulting_slots;
comment on table consulting_slots is 'consulting: recurring availability; weekday 1 is Monday (ISO 8601)';

create table study_groups (
  school_id uuid not null references schools,
  id uuid not null,
  name text not null check (length(name) between 1 and 200),
  course_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  foreign key (school_id, course_id) references courses
);
create index study_groups_by_time on study_groups (school_id, created_at, id);
comment on table study_groups is 'consulting: members who meet as a class';

create table study_group_members (
  school_id uuid not null,
  group_id uuid not null,
  user_id uuid not null,
  joined_at timestamptz(3) not null default now(),
  primary key (school_id, group_id, user_id),
  foreign key (school_id, group_id) references study_groups on delete cascade,
  foreign key (school_id, user_id) references school_members
);
create index study_group_members_by_user on study_group_members (school_id, user_id);
comment on table study_group_members is 'consulting: the roster, which is the attendee list of the group''s classes';

create table consulting_meetings (
  school_id uuid not null references schools,
  id uuid not null,
  service_id uuid,
  study_group_id uuid,
  title text not null check (length(title) between 1 and 300),
  state text not null default 'available' check (state in ('available', 'scheduled', 'canceled')),
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  room_url text not null default '' check (length(room_url) <= 2000),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  foreign key (school_id, service_id) references consulting_services,
  foreign key (school_id, study_group_id) references study_groups,
  check (num_nonnulls(service_id, study_group_id) = 1),
  check (study_group_id is null or state <> 'scheduled'),
  check (ends_at > starts_at)
);
create index consulting_meetings_by_service on consulting_meetings (school_id, service_id, starts_at, id) where service_id is not null;
create index consulting_meetings_by_group on consulting_meetings (school_id, study_group_id, starts_at, id) where study_group_id is not null;
create index consulting_meetings_by_start on consulting_meetings (school_id, starts_at, id);
create statistics consulting_meetings_ids (dependencies) on school_id, service_id, study_group_id from consulting_meetings;
comment on table consulting_meetings is 'consulting: a slot of a service on a day, or a class of a study group';

create table meeting_seats (
  school_id uuid not null,
  meeting_id uuid not null,
  user_id uuid not null,
  booked_at timestamptz(3) not null default now(),
  primary key (school_id, meeting_id, user_id),
  foreign key (school_id, meeting_id) references consulting_meetings on delete cascade,
  foreign key (school_id, user_id) references school_members
);
create index meeting_seats_of_person on meeting_seats (school_id, user_id, meeting_id);
comment on table meeting_seats is 'consulting: a member''s seat on a slot; a study group''s class has none';

create function refuse_seat_in_class() returns trigger language plpgsql as $$
begin
  if exists (select from consulting_meetings m
             where m.school_id = new.school_id and m.id = new.meeting_id and m.study_group_id is not null) then
    raise exception 'a study group''s class has no seats, its roster is the attendee list'
      using errcode = 'check_violation';
  end if;
  return new;
end $$;

create trigger meeting_seats_only_on_slots before insert or update on meeting_seats
  for each row execute function refuse_seat_in_class();
create trigger consulting_services_touch before update on consulting_services for each row execute function touch_row();
create trigger study_groups_touch before update on study_groups for each row execute function touch_row();
create trigger consulting_meetings_touch before update on consulting_meetings for each row execute function touch_row();
