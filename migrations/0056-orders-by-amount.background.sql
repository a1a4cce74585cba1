-- Orders sorted by amount.
create index concurrently if not exists orders_by_amount
  on orders (school_id, total_amount, id);
