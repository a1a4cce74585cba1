-- Unpaid payments by the end of the time to pay them.
create index concurrently if not exists payments_due on payments (school_id, expires_at) where state = 'pending';
