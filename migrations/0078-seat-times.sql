-- The start of a meeting stands on each of its seats, so that an index has the meetings of a member in their order.
alter table meeting_seats add column starts_at timestamptz(3);
comment on column meeting_seats.starts_at is 'the start of the meeting, kept by triggers; null in older rows until a server fills them in';

create function set_seat_time() returns trigger language plpgsql as $$
begin
  -- Locked, so that a meeting that is being moved moves this seat too.
  select m.starts_at into new.starts_at from consulting_meetings m
  where m.school_id = new.school_id and m.id = new.meeting_id for share;
  return new;
end $$;
comment on function set_seat_time() is 'Writes the start of its meeting on a new seat.';
create trigger seat_time before insert on meeting_seats for each row execute function set_seat_time();

create function move_seats() returns trigger language plpgsql as $$
begin
  update meeting_seats set starts_at = new.starts_at where school_id = new.school_id and meeting_id = new.id;
  return null;
end $$;
comment on function move_seats() is 'Moves the seats of a meeting with it.';
create trigger seats_moved after update of starts_at on consulting_meetings for each row
  when (old.starts_at <> new.starts_at) execute function move_seats();
