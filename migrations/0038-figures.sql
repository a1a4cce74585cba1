-- Figures of a school that are kept, because to count them from the rows takes as long as there are rows.

create table school_figures (
  school_id uuid primary key references schools on delete cascade,
  filled_at timestamptz(3),
  filled_with timestamptz(3),
  student_count bigint not null default 0,
  active_subscription_count bigint not null default 0,
  connected_person_count bigint,
  connected_counted_at timestamptz(3)
);
comment on table school_figures is 'analytics: totals of a school; without a row or filled_at, its figures are not counted yet';
comment on column school_figures.filled_with is 'when everything was marked for the first count; it is complete when no mark of that time or before is left';
comment on column school_figures.connected_person_count is 'null before it was counted; tokens leave no marks, so it is counted again when it is old';

create table revenue_days (
  school_id uuid not null references schools on delete cascade,
  day date not null,
  currency text not null,
  paid_amount bigint not null,
  refunded_amount bigint not null,
  payment_count bigint not null,
  primary key (school_id, day, currency)
);
comment on table revenue_days is 'analytics: payments and refunds of a day in the time zone of the school';

create table enrollment_days (
  school_id uuid not null references schools on delete cascade,
  day date not null,
  source text not null,
  enrollment_count bigint not null,
  primary key (school_id, day, source)
);
comment on table enrollment_days is 'analytics: enrollments that began on a day in the time zone of the school';

create table learner_days (
  school_id uuid not null references schools on delete cascade,
  span text not null check (span in ('day', 'week', 'month')),
  day date not null,
  first_count bigint not null,
  last_count bigint not null,
  primary key (school_id, span, day)
);
comment on table learner_days is 'analytics: students whose first or last day of learning in a day, week or month is this day';

create table course_figures (
  school_id uuid not null,
  course_id uuid not null,
  lecture_count bigint not null,
  student_count bigint not null,
  completed_count bigint not null,
  lectures_done bigint not null,
  primary key (school_id, course_id),
  foreign key (school_id, course_id) references courses on delete cascade
);
create index course_figures_by_students on course_figures (school_id, student_count desc, course_id);
comment on table course_figures is 'analytics: how far the students of a course are';
comment on column course_figures.lectures_done is 'completed lectures of all its students together';

-- Without a unique key, because two writers of one would wait for each other.
create table figure_marks (
  school_id uuid not null references schools on delete cascade,
  marked_at timestamptz(3) not null default now(),
  id uuid not null default gen_random_uuid(),
  part text not null,
  key text not null,
  primary key (school_id, marked_at, id)
);
comment on table figure_marks is 'analytics: figures that a write made wrong; removed in the transaction that counts them again';

create function mark_payments() returns trigger language plpgsql as $$
begin
  insert into figure_marks (school_id, part, key)
  select distinct c.school_id, 'revenue', (t.at at time zone 'UTC')::date::text
  from changed c cross join lateral (values (c.paid_at), (c.refunded_at)) t (at)
  where t.at is not null;
  return null;
end $$;
comment on function mark_payments() is 'Marks the days of payments in UTC: the days of the school are found when they are counted.';

create function mark_enrollments() returns trigger language plpgsql as $$
begin
  insert into figure_marks (school_id, part, key)
  select distinct school_id, 'enrollments', (enrolled_at at time zone 'UTC')::date::text from changed
  union all
  select distinct school_id, 'course', course_id::text from changed;
  return null;
end $$;

create function mark_enrollment() returns trigger language plpgsql as $$
begin
  insert into figure_marks (school_id, part, key)
  values
    (old.school_id, 'enrollments', (old.enrolled_at at time zone 'UTC')::date::text),
    (new.school_id, 'enrollments', (new.enrolled_at at time zone 'UTC')::date::text),
    (old.school_id, 'course', old.course_id::text),
    (new.school_id, 'course', new.course_id::text);
  return null;
end $$;

create function mark_progress() returns trigger language plpgsql as $$
begin
  insert into figure_marks (school_id, part, key)
  select distinct school_id, 'course', course_id::text from changed where state = 'completed';
  return null;
end $$;

create function mark_course() returns trigger language plpgsql as $$
begin
  insert into figure_marks (school_id, part, key) values (new.school_id, 'course', new.course_id::text);
  if new.course_id <> old.course_id then
    insert into figure_marks (school_id, part, key) values (old.school_id, 'course', old.course_id::text);
  end if;
  return null;
end $$;

create function mark_lectures() returns trigger language plpgsql as $$
begin
  insert into figure_marks (school_id, part, key)
  select distinct school_id, 'course', course_id::text from changed;
  return null;
end $$;

create function mark_courses() returns trigger language plpgsql as $$
begin
  insert into figure_marks (school_id, part, key) select school_id, 'course', id::text from changed;
  return null;
end $$;

create function mark_learning_days() returns trigger language plpgsql as $$
begin
  insert into figure_marks (school_id, part, key) select distinct school_id, 'learners', day::text from changed;
  return null;
end $$;

create function mark_total() returns trigger language plpgsql as $$
begin
  insert into figure_marks (school_id, part, key) select distinct school_id, tg_argv[0], '' from changed;
  return null;
end $$;

create function mark_total_of_row() returns trigger language plpgsql as $$
begin
  insert into figure_marks (school_id, part, key) values (new.school_id, tg_argv[0], '');
  return null;
end $$;

create function begin_figures() returns trigger language plpgsql as $$
begin
  insert into school_figures (school_id, filled_at) values (new.id, now());
  return null;
end $$;
comment on function begin_figures() is 'The figures of a new school are complete: all its rows will leave marks.';

create function forget_figures() returns trigger language plpgsql as $$
begin
  update school_figures set filled_at = null, filled_with = null where school_id = new.id;
  return null;
end $$;
comment on function forget_figures() is 'In another time zone the days of a school begin at other times.';

create trigger schools_begin_figures after insert on schools for each row execute function begin_figures();
create trigger schools_forget_figures after update of time_zone on schools
  for each row when (new.time_zone <> old.time_zone) execute function forget_figures();

create trigger payments_marked_new after insert on payments
  referencing new table as changed for each statement execute function mark_payments();
create trigger payments_marked_from after update on payments
  referencing old table as changed for each statement execute function mark_payments();
create trigger payments_marked_to after update on payments
  referencing new table as changed for each statement execute function mark_payments();
create trigger payments_marked_gone after delete on payments
  referencing old table as changed for each statement execute function mark_payments();

create trigger enrollments_marked_new after insert on enrollments
  referencing new table as changed for each statement execute function mark_enrollments();
create trigger enrollments_marked_gone after delete on enrollments
  referencing old table as changed for each statement execute function mark_enrollments();
-- By row, because most updates are bookmarks, which change no figure.
create trigger enrollments_marked after update on enrollments for each row
  when ((old.course_id, old.user_id, old.source, old.enrolled_at, old.revoked_at)
    is distinct from (new.course_id, new.user_id, new.source, new.enrolled_at, new.revoked_at))
  execute function mark_enrollment();

create trigger lecture_progress_marked_new after insert on lecture_progress
  referencing new table as changed for each statement execute function mark_progress();
create trigger lecture_progress_marked_gone after delete on lecture_progress
  referencing old table as changed for each statement execute function mark_progress();
create trigger lecture_progress_marked after update on lecture_progress for each row
  when ((old.state, old.user_id, old.course_id) is distinct from (new.state, new.user_id, new.course_id))
  execute function mark_course();

create trigger lectures_marked_new after insert on lectures
  referencing new table as changed for each statement execute function mark_lectures();
create trigger lectures_marked_gone after delete on lectures
  referencing old table as changed for each statement execute function mark_lectures();
create trigger lectures_marked after update on lectures for each row
  when (old.course_id <> new.course_id) execute function mark_course();

create trigger courses_marked_new after insert on courses
  referencing new table as changed for each statement execute function mark_courses();

create trigger learning_days_marked_new after insert on learning_days
  referencing new table as changed for each statement execute function mark_learning_days();
create trigger learning_days_marked_gone after delete on learning_days
  referencing old table as changed for each statement execute function mark_learning_days();

create trigger school_members_marked_new after insert on school_members
  referencing new table as changed for each statement execute function mark_total('students');
create trigger school_members_marked_gone after delete on school_members
  referencing old table as changed for each statement execute function mark_total('students');
create trigger school_members_marked after update on school_members for each row
  when (old.roles <> new.roles) execute function mark_total_of_row('students');

create trigger subscriptions_marked_new after insert on subscriptions
  referencing new table as changed for each statement execute function mark_total('subscriptions');
create trigger subscriptions_marked_gone after delete on subscriptions
  referencing old table as changed for each statement execute function mark_total('subscriptions');
create trigger subscriptions_marked after update on subscriptions for each row
  when (old.state <> new.state) execute function mark_total_of_row('subscriptions');
