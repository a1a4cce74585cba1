-- Searches for payments by part of the trade number.
create index concurrently if not exists payments_search
  on payments using gin (
    lower(left(trade_no, 20000)) gin_trgm_ops);
