-- Orders that are open or canceled.
create index concurrently if not exists orders_not_completed
  on orders (school_id, state, created_at, id) where state <> 'completed';
