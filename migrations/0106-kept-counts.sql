-- How many registrations an event has stands on it, and so for plans, products, forms and coupons: a list would otherwise count up to a
-- thousand rows for each of its own.
alter table events add column registration_count integer not null default 0;
comment on column events.registration_count is 'registrations that are not canceled, kept by triggers';
alter table membership_plans add column active_subscription_count integer not null default 0;
comment on column membership_plans.active_subscription_count is 'subscriptions that are not canceled, kept by triggers';
alter table digital_products add column owner_count integer not null default 0;
comment on column digital_products.owner_count is 'members who may download it, kept by triggers';
alter table forms add column submission_count integer not null default 0;
comment on column forms.submission_count is 'how many submissions it has, kept by triggers';
alter table coupons add column redemption_count integer not null default 0;
comment on column coupons.redemption_count is 'how many redemptions it has, kept by triggers';

-- A new count is no change of the object.
create or replace trigger events_touch before update on events for each row
  when (old.registration_count = new.registration_count) execute function touch_row();
create or replace trigger membership_plans_touch before update on membership_plans for each row
  when (old.active_subscription_count = new.active_subscription_count) execute function touch_row();
create or replace trigger digital_products_touch before update on digital_products for each row
  when (old.owner_count = new.owner_count) execute function touch_row();
create or replace trigger forms_touch before update on forms for each row
  when (old.submission_count = new.submission_count) execute function touch_row();
create or replace trigger coupons_touch before update on coupons for each row
  when (old.redemption_count = new.redemption_count) execute function touch_row();

create function count_at_parent() returns trigger language plpgsql as $$
declare
  came text := format('select school_id, %I as id, 1 as change from came where %s', tg_argv[2], tg_argv[3]);
  went text := format('select school_id, %I as id, -1 as change from went where %s', tg_argv[2], tg_argv[3]);
  changes text := case tg_op when 'INSERT' then came when 'DELETE' then went else came || ' union all ' || went end;
begin
  -- Locked in one order, so that two statements about the same parents wait for each other and never both.
  execute format('
    with changes as materialized (
      select school_id, id, sum(change)::integer as change from (%s) c group by school_id, id having sum(change) <> 0),
    locked as materialized (
      select p.school_id, p.id from %I p join changes using (school_id, id) order by p.school_id, p.id for no key update of p)
    update %2$I p set %3$I = p.%3$I + c.change
    from changes c join locked using (school_id, id) where p.school_id = c.school_id and p.id = c.id',
    changes, tg_argv[0], tg_argv[1]);
  return null;
end $$;
comment on function count_at_parent() is
  'Keeps how many rows a parent has. Arguments: the table of parents, its column, the column that names a parent, which rows count.';

create trigger event_registrations_counted_new after insert on event_registrations referencing new table as came
  for each statement execute function count_at_parent('events', 'registration_count', 'event_id', 'state <> ''canceled''');
create trigger event_registrations_counted after update on event_registrations referencing old table as went new table as came
  for each statement execute function count_at_parent('events', 'registration_count', 'event_id', 'state <> ''canceled''');
create trigger event_registrations_counted_gone after delete on event_registrations referencing old table as went
  for each statement execute function count_at_parent('events', 'registration_count', 'event_id', 'state <> ''canceled''');

create trigger subscriptions_counted_new after insert on subscriptions referencing new table as came
  for each statement execute function count_at_parent('membership_plans', 'active_subscription_count', 'plan_id', 'state <> ''canceled''');
create trigger subscriptions_counted after update on subscriptions referencing old table as went new table as came
  for each statement execute function count_at_parent('membership_plans', 'active_subscription_count', 'plan_id', 'state <> ''canceled''');
create trigger subscriptions_counted_gone after delete on subscriptions referencing old table as went
  for each statement execute function count_at_parent('membership_plans', 'active_subscription_count', 'plan_id', 'state <> ''canceled''');

create trigger digital_product_accesses_counted_new after insert on digital_product_accesses referencing new table as came
  for each statement execute function count_at_parent('digital_products', 'owner_count', 'product_id', 'revoked_at is null');
create trigger digital_product_accesses_counted after update on digital_product_accesses referencing old table as went new table as came
  for each statement execute function count_at_parent('digital_products', 'owner_count', 'product_id', 'revoked_at is null');
create trigger digital_product_accesses_counted_gone after delete on digital_product_accesses referencing old table as went
  for each statement execute function count_at_parent('digital_products', 'owner_count', 'product_id', 'revoked_at is null');

create trigger form_submissions_counted_new after insert on form_submissions referencing new table as came
  for each statement execute function count_at_parent('forms', 'submission_count', 'form_id', 'true');
create trigger form_submissions_counted_gone after delete on form_submissions referencing old table as went
  for each statement execute function count_at_parent('forms', 'submission_count', 'form_id', 'true');

create trigger coupon_redemptions_counted_new after insert on coupon_redemptions referencing new table as came
  for each statement execute function count_at_parent('coupons', 'redemption_count', 'coupon_id', 'true');
create trigger coupon_redemptions_counted_gone after delete on coupon_redemptions referencing old table as went
  for each statement execute function count_at_parent('coupons', 'redemption_count', 'coupon_id', 'true');

-- allow changes-rows events: a school has few events, and no version before reads this column.
update events e set registration_count = d.many
from (select school_id, event_id, count(*) as many from event_registrations where state <> 'canceled' group by school_id, event_id) d
where e.school_id = d.school_id and e.id = d.event_id;
-- allow changes-rows membership_plans: a school has few plans, and no version before reads this column.
update membership_plans p set active_subscription_count = d.many
from (select school_id, plan_id, count(*) as many from subscriptions where state <> 'canceled' group by school_id, plan_id) d
where p.school_id = d.school_id and p.id = d.plan_id;
-- allow changes-rows digital_products: a school has few products, and no version before reads this column.
update digital_products p set owner_count = d.many
from (select school_id, product_id, count(*) as many from digital_product_accesses where revoked_at is null group by school_id, product_id) d
where p.school_id = d.school_id and p.id = d.product_id;
-- allow changes-rows forms: a school has few forms, and no version before reads this column.
update forms f set submission_count = d.many
from (select school_id, form_id, count(*) as many from form_submissions group by school_id, form_id) d
where f.school_id = d.school_id and f.id = d.form_id;
-- allow changes-rows coupons: a school has few coupons, and no version before reads this column.
update coupons c set redemption_count = d.many
from (select school_id, coupon_id, count(*) as many from coupon_redemptions group by school_id, coupon_id) d
where c.school_id = d.school_id and c.id = d.coupon_id;

-- allow drops-index event_registrations_standing: no release has it, and it was there to be counted.
drop index if exists event_registrations_standing;
-- allow drops-index subscriptions_standing: no release has it, and it was there to be counted.
drop index if exists subscriptions_standing;
-- allow drops-index digital_product_accesses_standing: no release has it, and it was there to be counted.
drop index if exists digital_product_accesses_standing;
