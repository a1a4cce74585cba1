create index concurrently if not exists school_members_to_invite on school_members (school_id, user_id) where invitation_due;
