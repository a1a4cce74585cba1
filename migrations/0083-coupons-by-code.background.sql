-- Coupons in the order of their codes, and those whose code contains a text.

create index concurrently if not exists coupons_by_code on coupons (school_id, code collate "C", id);

create index concurrently if not exists coupons_search on coupons using gin (lower(left(code, 20000)) gin_trgm_ops);
