-- The people of a study group, in pages.
create index concurrently if not exists study_group_members_by_time
  on study_group_members (school_id, group_id, joined_at, user_id);
