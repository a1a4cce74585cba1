-- The days of refunds, which analytics count.
create index concurrently if not exists payments_by_refund on payments (school_id, refunded_at) where refunded_at is not null;
