-- Coupons that may not be redeemable, in the order in which they are shown: most are.

create index concurrently if not exists coupons_bounded on coupons (school_id, created_at, id)
  where archived_at is not null or used_up or starts_at is not null or ends_at is not null;
