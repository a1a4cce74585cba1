-- Few people get another address before they sign in, so the index is small.
create index concurrently if not exists school_members_typed_email
  on school_members (school_id, lower(typed_email)) where typed_email is not null;
