-- Courses sorted by price.
create index concurrently if not exists courses_by_price
  on courses (school_id, price_amount, id);
