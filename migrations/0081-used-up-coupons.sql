-- Whether a coupon is used up stands on it: a list of such coupons would otherwise count the redemptions of all coupons.
alter table coupons add column used_up boolean not null default false;
comment on column coupons.used_up is 'whether it has as many redemptions as it may have, kept by triggers';

create function has_all_redemptions(coupon coupons) returns boolean language sql stable as $$
  select coupon.max_redemptions is not null and exists (
    select from coupon_redemptions r where r.school_id = coupon.school_id and r.coupon_id = coupon.id
    offset coupon.max_redemptions - 1)
$$;
comment on function has_all_redemptions(coupons) is 'Counts the redemptions of a coupon to its limit.';

create function note_redemptions() returns trigger language plpgsql as $$
begin
  -- Locked first, so that two who take the last two redemptions see each other. Only a change of the answer is looked for: those
  -- who add to a coupon that is used up, or remove from one that is not, need not count.
  perform from coupons c
  where (c.school_id, c.id) in (select school_id, coupon_id from changed)
    and c.max_redemptions is not null and c.used_up = (tg_op = 'DELETE')
  order by c.school_id, c.id for no key update;
  update coupons c set used_up = not c.used_up
  where (c.school_id, c.id) in (select school_id, coupon_id from changed)
    and c.max_redemptions is not null and c.used_up = (tg_op = 'DELETE')
    and has_all_redemptions(c) <> c.used_up;
  return null;
end $$;
comment on function note_redemptions() is 'Notes on coupons whether they are used up.';
create trigger redemptions_added after insert on coupon_redemptions
  referencing new table as changed for each statement execute function note_redemptions();
create trigger redemptions_removed after delete on coupon_redemptions
  referencing old table as changed for each statement execute function note_redemptions();

create function note_limit() returns trigger language plpgsql as $$
begin
  new.used_up := has_all_redemptions(new);
  return new;
end $$;
comment on function note_limit() is 'Notes on a coupon with another limit whether it is used up.';
create trigger coupons_limit before update of max_redemptions on coupons for each row
  when (old.max_redemptions is distinct from new.max_redemptions) execute function note_limit();

-- allow changes-rows coupons: only those that are used up; a coupon has few rows, and no version before reads this column.
alter table coupons disable trigger coupons_touch;
update coupons c set used_up = true where has_all_redemptions(c);
alter table coupons enable trigger coupons_touch;
