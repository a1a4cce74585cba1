-- A role that a school gave by itself proves nothing about the person. So a membership knows when the person first
-- signed in there, and until then the school sees the name that it typed itself.

alter table school_members add column signed_in_at timestamptz(3);
comment on column school_members.signed_in_at is 'when the person first signed in at this school; until then it knows them only by email';

alter table school_members add column typed_name text
  constraint school_members_typed_name_check check (length(typed_name) between 1 and 200);
comment on column school_members.typed_name is 'the name with which the school added the person; shown until they sign in';

-- Members from before: those with a session or an authorization at the school have signed in there. If a person has
-- a password, they also signed in at their first school: it made the account, and no school that added them later
-- can be the first. People of the demo world count as signed in everywhere.
with seen as (
  select school_id, user_id, min(seen_at) as seen_at
  from (
    select school_id, user_id, created_at as seen_at from browser_sessions
    union all
    select school_id, user_id, created_at from authorizations
    union all
    select school_id, user_id, joined_at
    from (
      select distinct on (m.user_id) m.school_id, m.user_id, m.joined_at
      from school_members m join users u on u.id = m.user_id
      where u.password_hash is not null
      order by m.user_id, m.joined_at, m.school_id) first_schools
    union all
    select m.school_id, m.user_id, m.joined_at
    from school_members m join users u on u.id = m.user_id
    where u.email like '%@demo.test') signs
  group by school_id, user_id)
update school_members m set signed_in_at = seen.seen_at
from seen where seen.school_id = m.school_id and seen.user_id = m.user_id;

-- The others keep the name that their school sees today.
update school_members m set typed_name = u.name
from users u where u.id = m.user_id and m.signed_in_at is null and u.deleted_at is null;
