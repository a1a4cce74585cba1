-- Learning: courses with their sections and lectures, enrollments, progress and comments.

create table courses (
  school_id uuid not null references schools,
  id uuid not null,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 120),
  title text not null check (length(title) between 1 and 300),
  summary text not null default '' check (length(summary) <= 1000),
  description text not null default '' check (length(description) <= 100000),
  state text not null default 'draft' check (state in ('draft', 'published', 'archived')),
  price_amount bigint not null default 0 check (price_amount >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  cover_file_id uuid,
  published_at timestamptz(3),
  archived_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  outline_version integer not null default 1,
  primary key (school_id, id),
  unique (school_id, slug),
  foreign key (school_id, cover_file_id) references files,
  check (state <> 'published' or published_at is not null),
  check ((state = 'archived') = (archived_at is not null))
);
create index courses_by_time on courses (school_id, created_at, id);
comment on table courses is 'learning: a course; outline_version counts changes of its sections and lectures';

create table sections (
  school_id uuid not null,
  id uuid not null,
  course_id uuid not null,
  position integer not null check (position >= 0),
  title text not null check (length(title) between 1 and 300),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  unique (school_id, course_id, id),
  unique (school_id, course_id, position) deferrable initially deferred,
  foreign key (school_id, course_id) references courses on delete cascade
);
create statistics sections_ids (dependencies) on school_id, course_id from sections;
comment on table sections is 'learning: a chapter of a course';

create table lectures (
  school_id uuid not null,
  id uuid not null,
  course_id uuid not null,
  section_id uuid not null,
  position integer not null check (position >= 0),
  title text not null check (length(title) between 1 and 300),
  kind text not null default 'video' check (kind in ('video', 'text', 'quiz', 'file')),
  body text not null default '' check (length(body) <= 200000),
  duration_seconds integer not null default 0 check (duration_seconds >= 0),
  is_preview boolean not null default false,
  unlock_after_days integer check (unlock_after_days >= 0),
  unlock_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  unique (school_id, course_id, id),
  unique (school_id, section_id, position) deferrable initially deferred,
  foreign key (school_id, course_id, section_id) references sections (school_id, course_id, id) on delete cascade,
  check (unlock_after_days is null or unlock_at is null)
);
create index lectures_by_course on lectures (school_id, course_id, section_id, position);
create statistics lectures_ids (dependencies) on school_id, course_id, section_id from lectures;
comment on table lectures is 'learning: one lesson; dripped by days since enrollment, or at a date, or open at once';

create function count_outline_change() returns trigger language plpgsql as $$
begin
  update courses c set outline_version = outline_version + 1
  from (select distinct school_id, course_id from changed) o
  where c.school_id = o.school_id and c.id = o.course_id;
  return null;
end $$;
comment on function count_outline_change is 'A cached outline is good while its course still has this version.';

create table lecturers (
  school_id uuid not null,
  user_id uuid not null,
  headline text not null default '' check (length(headline) <= 300),
  bio text not null default '' check (length(bio) <= 20000),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, user_id),
  foreign key (school_id, user_id) references school_members
);
comment on table lecturers is 'learning: how a school presents one of its lecturers';

create table course_lecturers (
  school_id uuid not null,
  course_id uuid not null,
  user_id uuid not null,
  position integer not null default 0,
  primary key (school_id, course_id, user_id),
  foreign key (school_id, course_id) references courses on delete cascade,
  foreign key (school_id, user_id) references lecturers on delete cascade
);
create index course_lecturers_by_user on course_lecturers (school_id, user_id);
comment on table course_lecturers is 'learning: who teaches a course';

create table enrollments (
  school_id uuid not null,
  id uuid not null,
  course_id uuid not null,
  user_id uuid not null,
  source text not null check (source in ('purchase', 'plan', 'grant', 'import')),
  enrolled_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_lecture_id uuid,
  last_position_seconds integer check (last_position_seconds >= 0),
  last_watched_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  unique (school_id, user_id, course_id),
  foreign key (school_id, course_id) references courses,
  foreign key (school_id, user_id) references school_members,
  foreign key (school_id, course_id, last_lecture_id) references lectures (school_id, course_id, id)
    on delete set null (last_lecture_id),
  check (expires_at is null or expires_at > enrolled_at)
);
create index enrollments_by_course on enrollments (school_id, course_id, enrolled_at, id);
create index enrollments_of_person on enrollments (school_id, user_id, enrolled_at, id);
create index enrollments_by_time on enrollments (school_id, created_at, id);
create statistics enrollments_ids (dependencies) on school_id, course_id, user_id from enrollments;
comment on table enrollments is 'learning: a member''s access to a course; no expiry means for life';

create table lecture_progress (
  school_id uuid not null,
  user_id uuid not null,
  course_id uuid not null,
  lecture_id uuid not null,
  state text not null check (state in ('read', 'completed')),
  position_seconds integer not null default 0 check (position_seconds >= 0),
  first_read_at timestamptz(3) not null default now(),
  completed_at timestamptz(3),
  updated_at timestamptz(3) not null default now(),
  primary key (school_id, user_id, course_id, lecture_id),
  foreign key (school_id, user_id) references school_members,
  foreign key (school_id, course_id, lecture_id) references lectures (school_id, course_id, id) on delete cascade,
  check ((state = 'completed') = (completed_at is not null))
) with (fillfactor = 90);
create index lecture_progress_by_lecture on lecture_progress (school_id, course_id, lecture_id);
create statistics lecture_progress_ids (dependencies) on school_id, user_id, course_id, lecture_id from lecture_progress;
comment on table lecture_progress is 'learning: what a member read or completed; no row means unread';

create table comments (
  school_id uuid not null,
  id uuid not null,
  lecture_id uuid not null,
  user_id uuid not null,
  parent_id uuid,
  body text not null check (length(body) between 1 and 10000),
  hidden_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (school_id, id),
  unique (school_id, lecture_id, id),
  foreign key (school_id, lecture_id) references lectures on delete cascade,
  foreign key (school_id, user_id) references school_members,
  foreign key (school_id, lecture_id, parent_id) references comments (school_id, lecture_id, id) on delete cascade
);
create index comments_by_lecture on comments (school_id, lecture_id, created_at, id);
create index comments_by_time on comments (school_id, created_at, id);
create index comments_by_user on comments (school_id, user_id, created_at, id);
create statistics comments_ids (dependencies) on school_id, lecture_id, user_id from comments;
comment on table comments is 'learning: what members say under a lecture';

create trigger courses_touch before update on courses for each row execute function touch_row();
create trigger sections_touch before update on sections for each row execute function touch_row();
create trigger lectures_touch before update on lectures for each row execute function touch_row();
create trigger lecturers_touch before update on lecturers for each row execute function touch_row();
create trigger enrollments_touch before update on enrollments for each row execute function touch_row();
create trigger sections_outline_added after insert on sections referencing new table as changed
  for each statement execute function count_outline_change();
create trigger sections_outline_moved_from after update on sections referencing old table as changed
  for each statement execute function count_outline_change();
create trigger sections_outline_moved_to after update on sections referencing new table as changed
  for each statement execute function count_outline_change();
create trigger sections_outline_removed after delete on sections referencing old table as changed
  for each statement execute function count_outline_change();
create trigger lectures_outline_added after insert on lectures referencing new table as changed
  for each statement execute function count_outline_change();
create trigger lectures_outline_moved_from after update on lectures referencing old table as changed
  for each statement execute function count_outline_change();
create trigger lectures_outline_moved_to after update on lectures referencing new table as changed
  for each statement execute function count_outline_change();
create trigger lectures_outline_removed after delete on lectures referencing old table as changed
  for each statement execute function count_outline_change();
