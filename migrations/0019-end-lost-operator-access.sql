-- A person who stops being owner or admin loses their operator authorizations for good. Those of people
-- who lost the role before this rule would come back with the role.

update authorizations a set revoked_at = now()
from school_members m
where m.school_id = a.school_id and m.user_id = a.user_id
  and a.audience = 'operator' and a.revoked_at is null
  and not m.roles && array['owner', 'admin'];
