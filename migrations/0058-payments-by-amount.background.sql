-- Payments sorted by amount.
create index concurrently if not exists payments_by_amount
  on payments (school_id, amount, id);
