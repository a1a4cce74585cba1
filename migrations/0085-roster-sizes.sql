-- How many members a group has stands on it: each of them reads it with every class, and a roster can be long.
alter table study_groups add column member_count integer not null default 0;
comment on column study_groups.member_count is 'the length of its roster, kept by triggers';

-- The operations that change a roster raise the version of its group themselves.
create or replace trigger study_groups_touch before update on study_groups for each row
  when (old.member_count = new.member_count) execute function touch_row();

create function count_roster() returns trigger language plpgsql as $$
begin
  update study_groups g set member_count = g.member_count + case tg_op when 'INSERT' then d.members else -d.members end
  from (select school_id, group_id, count(*)::integer as members from changed group by school_id, group_id) d
  where g.school_id = d.school_id and g.id = d.group_id;
  return null;
end $$;
comment on function count_roster() is 'Adds to the length of a roster what came, and takes away what went.';
create trigger roster_added after insert on study_group_members
  referencing new table as changed for each statement execute function count_roster();
create trigger roster_removed after delete on study_group_members
  referencing old table as changed for each statement execute function count_roster();

-- allow changes-rows study_groups: a school has few groups, and no version before reads this column.
update study_groups g set member_count = d.members
from (select school_id, group_id, count(*) as members from study_group_members group by school_id, group_id) d
where g.school_id = d.school_id and g.id = d.group_id;
