-- allow drops-index enrollments_ending: no release has it, and enrollments_by_end has the same rows in the same order.
drop index if exists enrollments_ending;
-- allow drops-index enrollments_revoked: no release has it, and lists of revoked enrollments are in the order of enrolled_at.
drop index if exists enrollments_revoked;
