-- Searches for orders by part of the number.
create index concurrently if not exists orders_search
  on orders using gin (
    lower(left(number, 20000)) gin_trgm_ops);
