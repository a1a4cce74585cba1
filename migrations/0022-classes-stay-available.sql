-- A class of a study group is always available. Canceled ones are removed, and the members of the group are
-- told of those that are not over, unless they turned notifications about meetings off.

insert into notifications (school_id, id, user_id, kind, title, body)
select m.school_id, gen_random_uuid(), p.user_id, 'class_canceled', 'A class does not take place',
  format('%s, %s (%s), is no longer in your schedule.', m.title,
    to_char(m.starts_at at time zone s.time_zone, 'YYYY-MM-DD HH24:MI'), s.time_zone)
from consulting_meetings m
  join schools s on s.id = m.school_id
  join study_group_members p on p.school_id = m.school_id and p.group_id = m.study_group_id
where m.state = 'canceled' and m.ends_at > now() and not exists (
  select from notification_subscriptions n
  where n.school_id = p.school_id and n.user_id = p.user_id and n.topic = 'meetings'
    and n.channel = 'in_app' and not n.enabled);

delete from consulting_meetings where study_group_id is not null and state = 'canceled';

alter table consulting_meetings
  drop constraint consulting_meetings_class_not_scheduled,
  add constraint consulting_meetings_class_available check (study_group_id is null or state = 'available');
