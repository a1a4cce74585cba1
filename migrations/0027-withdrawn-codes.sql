-- A person may press Allow while the school ends what that would give. The server then waits for the client's
-- metadata, and stores the code after the others were deleted. So the end leaves its time.

alter table clients add column codes_withdrawn_at timestamptz(3);
comment on column clients.codes_withdrawn_at is 'when its codes were last deleted; a consent that began before gives no code';

alter table school_members add column codes_withdrawn_at timestamptz(3);
comment on column school_members.codes_withdrawn_at is 'when codes of the person were last deleted; a consent that began before gives no code';

-- This time is not part of a member that an API shows, so it makes no new version.
drop trigger school_members_touch on school_members;
create trigger school_members_touch before update of roles, joined_at on school_members
  for each row execute function touch_row();
