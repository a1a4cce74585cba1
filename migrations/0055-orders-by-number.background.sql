-- Orders sorted by number.
create index concurrently if not exists orders_by_number
  on orders (school_id, number collate "C", id);
