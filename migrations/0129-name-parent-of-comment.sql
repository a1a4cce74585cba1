-- A refusal depends on this key, so its name is chosen and not generated.
-- allow adds-constraint comments.comments_parent_at_same_lecture: the same key under another name.
-- allow validates-constraint comments.comments_parent_at_same_lecture: a new name reads no row.
alter table comments
  rename constraint comments_school_id_lecture_id_parent_id_fkey to comments_parent_at_same_lecture;
