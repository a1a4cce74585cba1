-- Payments with a refund.
create index concurrently if not exists payments_refunding
  on payments (school_id, refunding_state, created_at, id) where refunding_state <> 'none';
