-- The explorer's application is built in: it can be switched off, not deleted. One that a school deleted is off.

update clients set deleted_at = null, disabled_at = coalesce(disabled_at, deleted_at)
where client_id = 'member-api-explorer' and deleted_at is not null;
