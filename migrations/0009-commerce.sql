-- Commerce: products, plans, coupons, orders, and every attempt to pay for an order.
-- Amounts are integers in the minor unit of their currency (ISO 4217).

create table digital_products (
  school_id uuid not null references schools,
  id uuid not null,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 120),
  title text not null check (length(title) between 1 and 300),
  description text not null default '' check (length(description) <= 100000),
  state text not null default 'draft' check (state in ('draft', 'published', 'archived')),
  price_amount bigint not null default 0 check (price_amount >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  file_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  unique (school_id, slug),
  foreign key (school_id, file_id) references files
);
create index digital_products_by_time on digital_products (school_id, created_at, id);
comment on table digital_products is 'commerce: something to download';

create table digital_product_accesses (
  school_id uuid not null,
  id uuid not null,
  product_id uuid not null,
  user_id uuid not null,
  granted_at timestamptz(3) not null default now(),
  revoked_at timestamptz(3),
  primary key (school_id, id),
  unique (school_id, user_id, product_id),
  foreign key (school_id, product_id) references digital_products,
  foreign key (school_id, user_id) references school_members
);
create index digital_product_accesses_of_person on digital_product_accesses (school_id, user_id, granted_at, id);
create index digital_product_accesses_by_product on digital_product_accesses (school_id, product_id);
create statistics digital_product_accesses_ids (dependencies) on school_id, product_id, user_id from digital_product_accesses;
comment on table digital_product_accesses is 'commerce: a member may download a product';

create table membership_plans (
  school_id uuid not null references schools,
  id uuid not null,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 120),
  name text not null check (length(name) between 1 and 200),
  description text not null default '' check (length(description) <= 20000),
  state text not null default 'draft' check (state in ('draft', 'published', 'archived')),
  interval text not null check (interval in ('month', 'year')),
  price_amount bigint not null check (price_amount >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  unique (school_id, slug)
);
create index membership_plans_by_time on membership_plans (school_id, created_at, id);
comment on table membership_plans is 'commerce: a recurring offer';

create table membership_plan_courses (
  school_id uuid not null,
  plan_id uuid not null,
  course_id uuid not null,
  primary key (school_id, plan_id, course_id),
  foreign key (school_id, plan_id) references membership_plans on delete cascade,
  foreign key (school_id, course_id) references courses on delete cascade
);
create index membership_plan_courses_by_course on membership_plan_courses (school_id, course_id);
comment on table membership_plan_courses is 'commerce: the courses a plan opens';

create table subscriptions (
  school_id uuid not null,
  id uuid not null,
  plan_id uuid not null,
  user_id uuid not null,
  state text not null check (state in ('active', 'past_due', 'canceled')),
  started_at timestamptz(3) not null default now(),
  current_period_starts_at timestamptz(3) not null,
  current_period_ends_at timestamptz(3) not null,
  cancel_at_period_end boolean not null default false,
  canceled_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  foreign key (school_id, plan_id) references membership_plans,
  foreign key (school_id, user_id) references school_members,
  check (current_period_ends_at > current_period_starts_at),
  check (state <> 'canceled' or canceled_at is not null)
);
create unique index subscriptions_one_alive on subscriptions (school_id, user_id, plan_id) where state <> 'canceled';
create index subscriptions_by_time on subscriptions (school_id, created_at, id);
create index subscriptions_by_plan on subscriptions (school_id, plan_id);
create statistics subscriptions_ids (dependencies) on school_id, user_id, plan_id from subscriptions;
comment on table subscriptions is 'commerce: a member''s running plan';

create table coupons (
  school_id uuid not null references schools,
  id uuid not null,
  code text not null check (code ~ '^[A-Z0-9][A-Z0-9_-]{1,63}$'),
  percent_off integer check (percent_off between 1 and 100),
  amount_off bigint check (amount_off > 0),
  currency text check (currency ~ '^[A-Z]{3}$'),
  max_redemptions integer check (max_redemptions > 0),
  max_per_member integer check (max_per_member > 0),
  starts_at timestamptz(3),
  ends_at timestamptz(3),
  archived_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  unique (school_id, code),
  check ((percent_off is null) <> (amount_off is null)),
  check ((amount_off is null) = (currency is null)),
  check (starts_at is null or ends_at is null or ends_at > starts_at)
);
create index coupons_by_time on coupons (school_id, created_at, id);
comment on table coupons is 'commerce: a discount code with its limits and its window';

create table orders (
  school_id uuid not null,
  id uuid not null,
  number text not null check (length(number) between 1 and 64),
  user_id uuid not null,
  state text not null check (state in ('open', 'completed', 'canceled')),
  total_amount bigint not null check (total_amount >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  completed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  unique (school_id, number),
  unique (school_id, id, user_id),
  foreign key (school_id, user_id) references school_members,
  check ((state = 'completed') = (completed_at is not null))
);
create index orders_by_time on orders (school_id, created_at, id);
create index orders_of_person on orders (school_id, user_id, created_at, id);
create statistics orders_ids (dependencies) on school_id, user_id from orders;
comment on table orders is 'commerce: a purchase; operators see it, members see its payments only';

create table order_items (
  school_id uuid not null,
  order_id uuid not null,
  position integer not null check (position >= 0),
  title text not null check (length(title) between 1 and 300),
  course_id uuid,
  digital_product_id uuid,
  event_id uuid,
  plan_id uuid,
  quantity integer not null default 1 check (quantity > 0),
  unit_amount bigint not null check (unit_amount >= 0),
  primary key (school_id, order_id, position),
  foreign key (school_id, order_id) references orders on delete cascade,
  foreign key (school_id, course_id) references courses,
  foreign key (school_id, digital_product_id) references digital_products,
  foreign key (school_id, event_id) references events,
  foreign key (school_id, plan_id) references membership_plans,
  check (num_nonnulls(course_id, digital_product_id, event_id, plan_id) <= 1)
);
create index order_items_by_course on order_items (school_id, course_id) where course_id is not null;
create index order_items_by_product on order_items (school_id, digital_product_id) where digital_product_id is not null;
create index order_items_by_event on order_items (school_id, event_id) where event_id is not null;
create index order_items_by_plan on order_items (school_id, plan_id) where plan_id is not null;
comment on table order_items is 'commerce: what was bought; a thing of the school, or a line of its own';

create table coupon_redemptions (
  school_id uuid not null,
  id uuid not null,
  coupon_id uuid not null,
  order_id uuid not null,
  user_id uuid not null,
  redeemed_at timestamptz(3) not null default now(),
  primary key (school_id, id),
  unique (school_id, coupon_id, order_id),
  foreign key (school_id, coupon_id) references coupons,
  foreign key (school_id, order_id, user_id) references orders (school_id, id, user_id)
);
create index coupon_redemptions_by_order on coupon_redemptions (school_id, order_id);
create index coupon_redemptions_by_member on coupon_redemptions (school_id, coupon_id, user_id);
create statistics coupon_redemptions_ids (dependencies) on school_id, coupon_id, order_id, user_id from coupon_redemptions;
comment on table coupon_redemptions is 'commerce: a coupon used on a purchase; its count is counted here';

create table payments (
  school_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  user_id uuid not null,
  trade_no text not null check (length(trade_no) between 1 and 64),
  amount bigint not null check (amount >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  payment_type text check (payment_type in ('credit_card', 'atm', 'convenience_store', 'free')),
  state text not null default 'pending' check (state in ('pending', 'paid', 'failed', 'refunded')),
  created_at timestamptz(3) not null default now(),
  paid_at timestamptz(3),
  expires_at timestamptz(3),
  bank_code text check (length(bank_code) <= 20),
  bank_name text check (length(bank_name) <= 100),
  code_no text check (length(code_no) <= 64),
  installment_count integer check (installment_count between 2 and 60),
  installment_amount bigint check (installment_amount > 0),
  refunding_state text not null default 'none' check (
    refunding_state in ('none', 'requested', 'partially_refunded', 'refunded', 'rejected')),
  refunded_amount bigint not null default 0 check (refunded_amount >= 0),
  refund_requested_at timestamptz(3),
  refunded_at timestamptz(3),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  unique (school_id, trade_no),
  foreign key (school_id, order_id, user_id) references orders (school_id, id, user_id),
  check (refunded_amount <= amount),
  check ((state in ('paid', 'refunded')) = (paid_at is not null)),
  check ((installment_count is null) = (installment_amount is null)),
  check ((refunding_state = 'none') = (refund_requested_at is null)),
  check ((refunding_state in ('partially_refunded', 'refunded')) = (refunded_at is not null)),
  check ((state = 'refunded') = (refunding_state = 'refunded')),
  check (payment_type in ('atm', 'convenience_store') or num_nonnulls(bank_code, bank_name, code_no) = 0)
);
create index payments_of_person on payments (school_id, user_id, created_at, id);
create index payments_by_time on payments (school_id, created_at, id);
create index payments_by_order on payments (school_id, order_id);
create index payments_by_paid on payments (school_id, paid_at) where paid_at is not null;
create statistics payments_ids (dependencies) on school_id, order_id from payments;
comment on table payments is 'commerce: one attempt to pay; a retried checkout is another row';
comment on column payments.payment_type is 'null while no method was chosen';
comment on column payments.state is 'a pending payment past expires_at reads as expired; no job writes that';

create table payment_lines (
  school_id uuid not null,
  payment_id uuid not null,
  position integer not null check (position >= 0),
  title text not null check (length(title) between 1 and 300),
  quantity integer not null default 1 check (quantity > 0),
  unit_amount bigint not null,
  amount bigint not null,
  primary key (school_id, payment_id, position),
  foreign key (school_id, payment_id) references payments on delete cascade
);
comment on table payment_lines is 'commerce: what a payment was for, as it read at the time';

create table payment_adjustments (
  school_id uuid not null,
  payment_id uuid not null,
  position integer not null check (position >= 0),
  kind text not null check (kind in ('coupon', 'promotion')),
  label text not null check (length(label) between 1 and 200),
  amount bigint not null check (amount <= 0),
  primary key (school_id, payment_id, position),
  foreign key (school_id, payment_id) references payments on delete cascade
);
comment on table payment_adjustments is 'commerce: coupon and promotion lines of a payment';

create table invoices (
  school_id uuid not null,
  payment_id uuid not null,
  number text not null check (length(number) between 1 and 64),
  issued_at timestamptz(3) not null default now(),
  url text check (length(url) <= 2000),
  primary key (school_id, payment_id),
  unique (school_id, number),
  foreign key (school_id, payment_id) references payments on delete cascade
);
comment on table invoices is 'commerce: the invoice of a payment';

create trigger digital_products_touch before update on digital_products for each row execute function touch_row();
create trigger membership_plans_touch before update on membership_plans for each row execute function touch_row();
create trigger subscriptions_touch before update on subscriptions for each row execute function touch_row();
create trigger coupons_touch before update on coupons for each row execute function touch_row();
create trigger orders_touch before update on orders for each row execute function touch_row();
create trigger payments_touch before update on payments for each row execute function touch_row();
