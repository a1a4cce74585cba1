-- A job that was started on a page ends with the browser session behind it.
alter table jobs add column session_id uuid;
