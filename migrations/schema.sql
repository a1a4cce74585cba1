-- The schema after every migration, read back from PostgreSQL. `npm run schema` rewrites it.

CREATE OR REPLACE FUNCTION public.announce_school()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  changed jsonb := to_jsonb(coalesce(new, old));
begin
  perform pg_notify('school_changed', coalesce(changed ->> 'school_id', changed ->> 'id'));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.count_outline_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update courses c set outline_version = outline_version + 1
  from (select distinct school_id, course_id from changed) o
  where c.school_id = o.school_id and c.id = o.course_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' and current_setting('schoolgate.purging', true) = 'on' then
    return old;
  end if;
  raise exception 'audit entries are append-only' using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_seat_in_class()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from consulting_meetings m
             where m.school_id = new.school_id and m.id = new.meeting_id and m.study_group_id is not null) then
    raise exception 'a study group''s class has no seats, its roster is the attendee list'
      using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.touch_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.updated_at := now();
  new.version := old.version + 1;
  return new;
end $function$;

-- schools: what the pages of a school look like
create table appearances (
  school_id uuid not null,
  primary_color text not null default '#1f4b99'::text,
  accent_color text not null default '#0f766e'::text,
  logo_file_id uuid,
  tagline text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  FOREIGN KEY (school_id, logo_file_id) REFERENCES files(school_id, id),
  CHECK ((accent_color ~ '^#[0-9a-f]{6}$'::text)),
  CHECK ((length(tagline) <= 300)),
  CHECK ((primary_color ~ '^#[0-9a-f]{6}$'::text))
);
CREATE TRIGGER appearances_announce AFTER INSERT OR DELETE OR UPDATE ON public.appearances FOR EACH ROW EXECUTE FUNCTION announce_school();
CREATE TRIGGER appearances_touch BEFORE UPDATE ON public.appearances FOR EACH ROW EXECUTE FUNCTION touch_row();

-- audit: append-only; no foreign key to what it names, so that it outlives it
create table audit_entries (
  id uuid not null,
  school_id uuid,
  at timestamp(3) with time zone not null default now(),
  action character varying(100) not null,
  outcome character varying(100) not null,
  actor_user_id uuid,
  client_id text,
  authorization_id uuid,
  subject character varying(2000),
  detail jsonb not null default '{}'::jsonb,
  request_id character varying(100),
  PRIMARY KEY (id)
);
CREATE INDEX audit_entries_by_action ON public.audit_entries USING btree (school_id, action, id) WHERE ((action)::text <> ALL ((ARRAY['token.issued'::character varying, 'token.refreshed'::character varying])::text[]));
CREATE INDEX audit_entries_by_actor ON public.audit_entries USING btree (school_id, actor_user_id, id);
CREATE INDEX audit_entries_by_client ON public.audit_entries USING btree (school_id, client_id, id);
CREATE INDEX audit_entries_by_school ON public.audit_entries USING btree (school_id, id);
CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR UPDATE ON public.audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- grants: a consent on its way to the client; single use is one conditional update
create table authorization_codes (
  id uuid not null,
  hash bytea not null,
  school_id uuid not null,
  client_id text not null,
  user_id uuid not null,
  audience text not null,
  scopes text[] not null,
  resource text,
  redirect_uri text not null,
  code_challenge text not null,
  nonce text,
  authenticated_at timestamp(3) with time zone not null,
  device text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  consumed_at timestamp(3) with time zone,
  pair_id uuid,
  PRIMARY KEY (id),
  FOREIGN KEY (school_id, client_id) REFERENCES clients(school_id, client_id),
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  CHECK (((audience = 'operator'::text) OR (resource IS NOT NULL))),
  CHECK (((consumed_at IS NULL) = (pair_id IS NULL))),
  CHECK ((audience = ANY (ARRAY['member'::text, 'operator'::text]))),
  CHECK ((length(hash) = 32))
) with (fillfactor=90);
CREATE INDEX authorization_codes_by_client ON public.authorization_codes USING btree (school_id, client_id, user_id);

-- grants: one completed authorization; ending it ends every pair at once
create table authorizations (
  id uuid not null,
  school_id uuid not null,
  client_id text not null,
  user_id uuid,
  audience text not null,
  scopes text[] not null,
  resource text,
  code_id uuid,
  device text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  PRIMARY KEY (id),
  FOREIGN KEY (school_id, client_id) REFERENCES clients(school_id, client_id),
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  CHECK ((audience = ANY (ARRAY['member'::text, 'operator'::text]))),
  CHECK ((length(device) <= 200))
) with (fillfactor=90);
CREATE INDEX authorizations_by_client ON public.authorizations USING btree (school_id, client_id, id);
CREATE INDEX authorizations_by_code ON public.authorizations USING btree (code_id);
CREATE INDEX authorizations_by_person ON public.authorizations USING btree (school_id, user_id, id);

-- people: a signed-in browser at one school's origin; only the hash of its secret is kept
create table browser_sessions (
  id uuid not null,
  secret_hash bytea not null,
  school_id uuid not null,
  user_id uuid not null,
  device text not null default ''::text,
  authenticated_at timestamp(3) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  last_seen_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  PRIMARY KEY (id),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  FOREIGN KEY (user_id) REFERENCES users(id),
  CHECK ((length(device) <= 200)),
  CHECK ((length(secret_hash) = 32))
) with (fillfactor=90);
CREATE INDEX browser_sessions_by_user ON public.browser_sessions USING btree (user_id);

-- clients: fetched client metadata documents, and failures for a minute
create table client_documents (
  url text not null,
  document jsonb,
  failure text,
  fetched_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  PRIMARY KEY (url),
  CHECK (((document IS NULL) <> (failure IS NULL))),
  CHECK ((length(failure) <= 500)),
  CHECK ((length(url) <= 2000))
);

-- clients: keyed by school, so that review, disabling and foreign keys are the school's own
create table clients (
  school_id uuid not null,
  client_id text not null,
  kind text not null,
  audience text not null,
  name text not null,
  confidential boolean not null default false,
  secret_hash bytea,
  secret_rotated_at timestamp(3) with time zone,
  redirect_uris text[] not null,
  scopes text[] not null,
  created_by uuid,
  reviewed_by uuid,
  reviewed_at timestamp(3) with time zone,
  disabled_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, client_id),
  FOREIGN KEY (created_by) REFERENCES users(id),
  FOREIGN KEY (reviewed_by) REFERENCES users(id),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  CHECK (((cardinality(redirect_uris) >= 1) AND (cardinality(redirect_uris) <= 50))),
  CHECK (((kind = 'application'::text) OR ((audience = 'operator'::text) AND (NOT confidential)))),
  CHECK (((length(client_id) >= 1) AND (length(client_id) <= 2000))),
  CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CHECK ((audience = ANY (ARRAY['member'::text, 'operator'::text]))),
  CHECK ((cardinality(scopes) >= 1)),
  CHECK ((confidential = (secret_hash IS NOT NULL))),
  CHECK ((kind = ANY (ARRAY['application'::text, 'vendor'::text, 'document'::text]))),
  CHECK ((length(secret_hash) = 32))
);
CREATE INDEX clients_by_time ON public.clients USING btree (school_id, created_at, client_id);
CREATE TRIGGER clients_touch BEFORE UPDATE ON public.clients FOR EACH ROW EXECUTE FUNCTION touch_row();

-- learning: what members say under a lecture
create table comments (
  school_id uuid not null,
  id uuid not null,
  lecture_id uuid not null,
  user_id uuid not null,
  parent_id uuid,
  body text not null,
  hidden_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, lecture_id, id),
  FOREIGN KEY (school_id, lecture_id) REFERENCES lectures(school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, lecture_id, parent_id) REFERENCES comments(school_id, lecture_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  CHECK (((length(body) >= 1) AND (length(body) <= 10000)))
);
CREATE INDEX comments_by_lecture ON public.comments USING btree (school_id, lecture_id, created_at, id);
CREATE INDEX comments_by_time ON public.comments USING btree (school_id, created_at, id);
CREATE INDEX comments_by_user ON public.comments USING btree (school_id, user_id, created_at, id);

-- consulting: a slot of a service on a day, or a class of a study group
create table consulting_meetings (
  school_id uuid not null,
  id uuid not null,
  service_id uuid,
  study_group_id uuid,
  title text not null,
  state text not null default 'available'::text,
  starts_at timestamp(3) with time zone not null,
  ends_at timestamp(3) with time zone not null,
  room_url text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  FOREIGN KEY (school_id, service_id) REFERENCES consulting_services(school_id, id),
  FOREIGN KEY (school_id, study_group_id) REFERENCES study_groups(school_id, id),
  CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  CHECK (((study_group_id IS NULL) OR (state <> 'scheduled'::text))),
  CHECK ((ends_at > starts_at)),
  CHECK ((length(room_url) <= 2000)),
  CHECK ((num_nonnulls(service_id, study_group_id) = 1)),
  CHECK ((state = ANY (ARRAY['available'::text, 'scheduled'::text, 'canceled'::text])))
);
CREATE INDEX consulting_meetings_by_group ON public.consulting_meetings USING btree (school_id, study_group_id, starts_at, id) WHERE (study_group_id IS NOT NULL);
CREATE INDEX consulting_meetings_by_service ON public.consulting_meetings USING btree (school_id, service_id, starts_at, id) WHERE (service_id IS NOT NULL);
CREATE INDEX consulting_meetings_by_start ON public.consulting_meetings USING btree (school_id, starts_at, id);
CREATE TRIGGER consulting_meetings_touch BEFORE UPDATE ON public.consulting_meetings FOR EACH ROW EXECUTE FUNCTION touch_row();

-- consulting: whose students are offered a service
create table consulting_service_courses (
  school_id uuid not null,
  service_id uuid not null,
  course_id uuid not null,
  PRIMARY KEY (school_id, service_id, course_id),
  FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, service_id) REFERENCES consulting_services(school_id, id) ON DELETE CASCADE
);
CREATE INDEX consulting_service_courses_by_course ON public.consulting_service_courses USING btree (school_id, course_id);

-- consulting: an offer of somebody's time
create table consulting_services (
  school_id uuid not null,
  id uuid not null,
  title text not null,
  description text not null default ''::text,
  host_id uuid,
  state text not null default 'offered'::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  FOREIGN KEY (school_id, host_id) REFERENCES school_members(school_id, user_id),
  CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  CHECK ((length(description) <= 20000)),
  CHECK ((state = ANY (ARRAY['offered'::text, 'paused'::text])))
);
CREATE INDEX consulting_services_by_time ON public.consulting_services USING btree (school_id, created_at, id);
CREATE TRIGGER consulting_services_touch BEFORE UPDATE ON public.consulting_services FOR EACH ROW EXECUTE FUNCTION touch_row();

-- consulting: recurring availability; weekday 1 is Monday (ISO 8601)
create table consulting_slots (
  school_id uuid not null,
  id uuid not null,
  service_id uuid not null,
  weekday integer not null,
  starts_at time(0) without time zone not null,
  duration_minutes integer not null,
  time_zone text not null,
  capacity integer not null default 1,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, service_id) REFERENCES consulting_services(school_id, id) ON DELETE CASCADE,
  CHECK (((duration_minutes >= 5) AND (duration_minutes <= 1440))),
  CHECK (((length(time_zone) >= 1) AND (length(time_zone) <= 64))),
  CHECK (((weekday >= 1) AND (weekday <= 7))),
  CHECK ((capacity > 0))
);
CREATE INDEX consulting_slots_by_service ON public.consulting_slots USING btree (school_id, service_id, weekday, starts_at);

-- commerce: a coupon used on a purchase; its count is counted here
create table coupon_redemptions (
  school_id uuid not null,
  id uuid not null,
  coupon_id uuid not null,
  order_id uuid not null,
  user_id uuid not null,
  redeemed_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, coupon_id, order_id),
  FOREIGN KEY (school_id, coupon_id) REFERENCES coupons(school_id, id),
  FOREIGN KEY (school_id, order_id, user_id) REFERENCES orders(school_id, id, user_id)
);
CREATE INDEX coupon_redemptions_by_member ON public.coupon_redemptions USING btree (school_id, coupon_id, user_id);
CREATE INDEX coupon_redemptions_by_order ON public.coupon_redemptions USING btree (school_id, order_id);

-- commerce: a discount code with its limits and its window
create table coupons (
  school_id uuid not null,
  id uuid not null,
  code text not null,
  percent_off integer,
  amount_off bigint,
  currency text,
  max_redemptions integer,
  max_per_member integer,
  starts_at timestamp(3) with time zone,
  ends_at timestamp(3) with time zone,
  archived_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, code),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  CHECK (((amount_off IS NULL) = (currency IS NULL))),
  CHECK (((percent_off >= 1) AND (percent_off <= 100))),
  CHECK (((percent_off IS NULL) <> (amount_off IS NULL))),
  CHECK (((starts_at IS NULL) OR (ends_at IS NULL) OR (ends_at > starts_at))),
  CHECK ((amount_off > 0)),
  CHECK ((code ~ '^[A-Z0-9][A-Z0-9_-]{1,63}$'::text)),
  CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CHECK ((max_per_member > 0)),
  CHECK ((max_redemptions > 0))
);
CREATE INDEX coupons_by_time ON public.coupons USING btree (school_id, created_at, id);
CREATE TRIGGER coupons_touch BEFORE UPDATE ON public.coupons FOR EACH ROW EXECUTE FUNCTION touch_row();

-- learning: who teaches a course
create table course_lecturers (
  school_id uuid not null,
  course_id uuid not null,
  user_id uuid not null,
  position integer not null default 0,
  PRIMARY KEY (school_id, course_id, user_id),
  FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, user_id) REFERENCES lecturers(school_id, user_id) ON DELETE CASCADE
);
CREATE INDEX course_lecturers_by_user ON public.course_lecturers USING btree (school_id, user_id);

-- learning: a course; outline_version counts changes of its sections and lectures
create table courses (
  school_id uuid not null,
  id uuid not null,
  slug text not null,
  title text not null,
  summary text not null default ''::text,
  description text not null default ''::text,
  state text not null default 'draft'::text,
  price_amount bigint not null default 0,
  currency text not null,
  cover_file_id uuid,
  published_at timestamp(3) with time zone,
  archived_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  outline_version integer not null default 1,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, slug),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  FOREIGN KEY (school_id, cover_file_id) REFERENCES files(school_id, id),
  CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 120))),
  CHECK (((state <> 'published'::text) OR (published_at IS NOT NULL))),
  CHECK (((state = 'archived'::text) = (archived_at IS NOT NULL))),
  CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CHECK ((length(description) <= 100000)),
  CHECK ((length(summary) <= 1000)),
  CHECK ((price_amount >= 0)),
  CHECK ((state = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text])))
);
CREATE INDEX courses_by_time ON public.courses USING btree (school_id, created_at, id);
CREATE TRIGGER courses_touch BEFORE UPDATE ON public.courses FOR EACH ROW EXECUTE FUNCTION touch_row();

-- commerce: a member may download a product
create table digital_product_accesses (
  school_id uuid not null,
  id uuid not null,
  product_id uuid not null,
  user_id uuid not null,
  granted_at timestamp(3) with time zone not null default now(),
  revoked_at timestamp(3) with time zone,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, user_id, product_id),
  FOREIGN KEY (school_id, product_id) REFERENCES digital_products(school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id)
);
CREATE INDEX digital_product_accesses_by_product ON public.digital_product_accesses USING btree (school_id, product_id);
CREATE INDEX digital_product_accesses_of_person ON public.digital_product_accesses USING btree (school_id, user_id, granted_at, id);

-- commerce: something to download
create table digital_products (
  school_id uuid not null,
  id uuid not null,
  slug text not null,
  title text not null,
  description text not null default ''::text,
  state text not null default 'draft'::text,
  price_amount bigint not null default 0,
  currency text not null,
  file_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, slug),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  FOREIGN KEY (school_id, file_id) REFERENCES files(school_id, id),
  CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 120))),
  CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CHECK ((length(description) <= 100000)),
  CHECK ((price_amount >= 0)),
  CHECK ((state = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text])))
);
CREATE INDEX digital_products_by_time ON public.digital_products USING btree (school_id, created_at, id);
CREATE TRIGGER digital_products_touch BEFORE UPDATE ON public.digital_products FOR EACH ROW EXECUTE FUNCTION touch_row();

-- learning: a member's access to a course; no expiry means for life
create table enrollments (
  school_id uuid not null,
  id uuid not null,
  course_id uuid not null,
  user_id uuid not null,
  source text not null,
  enrolled_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  last_lecture_id uuid,
  last_position_seconds integer,
  last_watched_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, user_id, course_id),
  FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id),
  FOREIGN KEY (school_id, course_id, last_lecture_id) REFERENCES lectures(school_id, course_id, id) ON DELETE SET NULL (last_lecture_id),
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  CHECK (((expires_at IS NULL) OR (expires_at > enrolled_at))),
  CHECK ((last_position_seconds >= 0)),
  CHECK ((source = ANY (ARRAY['purchase'::text, 'plan'::text, 'grant'::text, 'import'::text])))
);
CREATE INDEX enrollments_by_course ON public.enrollments USING btree (school_id, course_id, enrolled_at, id);
CREATE INDEX enrollments_by_time ON public.enrollments USING btree (school_id, created_at, id);
CREATE INDEX enrollments_of_person ON public.enrollments USING btree (school_id, user_id, enrolled_at, id);
CREATE TRIGGER enrollments_touch BEFORE UPDATE ON public.enrollments FOR EACH ROW EXECUTE FUNCTION touch_row();

-- events: a member's place at an event
create table event_registrations (
  school_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  user_id uuid not null,
  state text not null default 'registered'::text,
  registered_at timestamp(3) with time zone not null default now(),
  canceled_at timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, event_id, user_id),
  FOREIGN KEY (school_id, event_id) REFERENCES events(school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  CHECK (((state = 'canceled'::text) = (canceled_at IS NOT NULL))),
  CHECK ((state = ANY (ARRAY['registered'::text, 'attended'::text, 'canceled'::text])))
);
CREATE INDEX event_registrations_by_event ON public.event_registrations USING btree (school_id, event_id, registered_at, id);
CREATE INDEX event_registrations_of_person ON public.event_registrations USING btree (school_id, user_id, registered_at, id);
CREATE TRIGGER event_registrations_touch BEFORE UPDATE ON public.event_registrations FOR EACH ROW EXECUTE FUNCTION touch_row();

-- events: a gathering with a start, an end and perhaps a capacity
create table events (
  school_id uuid not null,
  id uuid not null,
  slug text not null,
  title text not null,
  description text not null default ''::text,
  state text not null default 'draft'::text,
  starts_at timestamp(3) with time zone not null,
  ends_at timestamp(3) with time zone not null,
  location text not null default ''::text,
  online_url text,
  capacity integer,
  price_amount bigint not null default 0,
  currency text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, slug),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 120))),
  CHECK ((capacity > 0)),
  CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CHECK ((ends_at > starts_at)),
  CHECK ((length(description) <= 100000)),
  CHECK ((length(location) <= 500)),
  CHECK ((length(online_url) <= 2000)),
  CHECK ((price_amount >= 0)),
  CHECK ((state = ANY (ARRAY['draft'::text, 'published'::text, 'canceled'::text])))
);
CREATE INDEX events_by_start ON public.events USING btree (school_id, starts_at, id);
CREATE INDEX events_by_time ON public.events USING btree (school_id, created_at, id);
CREATE TRIGGER events_touch BEFORE UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION touch_row();

-- content: an uploaded file; the bytes lie in the storage under its key
create table files (
  school_id uuid not null,
  id uuid not null,
  name text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 bytea not null,
  storage_key text not null,
  created_by uuid,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  FOREIGN KEY (school_id, created_by) REFERENCES school_members(school_id, user_id),
  CHECK (((length(content_type) >= 3) AND (length(content_type) <= 200))),
  CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  CHECK (((length(storage_key) >= 1) AND (length(storage_key) <= 500))),
  CHECK ((length(sha256) = 32)),
  CHECK ((size_bytes >= 0))
);
CREATE INDEX files_by_time ON public.files USING btree (school_id, created_at, id);

-- content: the answers somebody sent to a form
create table form_submissions (
  school_id uuid not null,
  id uuid not null,
  form_id uuid not null,
  user_id uuid,
  answers jsonb not null,
  submitted_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, form_id) REFERENCES forms(school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  CHECK ((jsonb_typeof(answers) = 'object'::text))
);
CREATE INDEX form_submissions_by_form ON public.form_submissions USING btree (school_id, form_id, submitted_at, id);

-- content: a questionnaire; fields is a list of {name, label, kind, required}
create table forms (
  school_id uuid not null,
  id uuid not null,
  slug text not null,
  title text not null,
  fields jsonb not null default '[]'::jsonb,
  state text not null default 'open'::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, slug),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 120))),
  CHECK ((jsonb_typeof(fields) = 'array'::text)),
  CHECK ((state = ANY (ARRAY['draft'::text, 'open'::text, 'closed'::text])))
);
CREATE INDEX forms_by_time ON public.forms USING btree (school_id, created_at, id);
CREATE TRIGGER forms_touch BEFORE UPDATE ON public.forms FOR EACH ROW EXECUTE FUNCTION touch_row();

-- idempotency: the answer to a write, kept a day and found by a hash of its key, authorization, method and path
create table idempotent_answers (
  school_id uuid not null,
  key_hash bytea not null,
  fingerprint bytea not null,
  status integer not null,
  headers jsonb not null,
  body text not null,
  answered_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (school_id, key_hash),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  CHECK (((status >= 200) AND (status <= 499))),
  CHECK ((jsonb_typeof(headers) = 'object'::text)),
  CHECK ((length(fingerprint) = 32)),
  CHECK ((length(key_hash) = 32))
);
CREATE INDEX idempotent_answers_by_time ON public.idempotent_answers USING btree (answered_at);

-- commerce: the invoice of a payment
create table invoices (
  school_id uuid not null,
  payment_id uuid not null,
  number text not null,
  issued_at timestamp(3) with time zone not null default now(),
  url text,
  PRIMARY KEY (school_id, payment_id),
  UNIQUE (school_id, number),
  FOREIGN KEY (school_id, payment_id) REFERENCES payments(school_id, id) ON DELETE CASCADE,
  CHECK (((length(number) >= 1) AND (length(number) <= 64))),
  CHECK ((length(url) <= 2000))
);

-- analytics: who learned on a day; progress rows only remember the last time
create table learning_days (
  school_id uuid not null,
  day date not null,
  user_id uuid not null,
  PRIMARY KEY (school_id, day, user_id),
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id)
);
CREATE INDEX learning_days_by_user ON public.learning_days USING btree (school_id, user_id);

-- learning: what a member read or completed; no row means unread
create table lecture_progress (
  school_id uuid not null,
  user_id uuid not null,
  course_id uuid not null,
  lecture_id uuid not null,
  state text not null,
  position_seconds integer not null default 0,
  first_read_at timestamp(3) with time zone not null default now(),
  completed_at timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (school_id, user_id, course_id, lecture_id),
  FOREIGN KEY (school_id, course_id, lecture_id) REFERENCES lectures(school_id, course_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  CHECK (((state = 'completed'::text) = (completed_at IS NOT NULL))),
  CHECK ((position_seconds >= 0)),
  CHECK ((state = ANY (ARRAY['read'::text, 'completed'::text])))
) with (fillfactor=90);
CREATE INDEX lecture_progress_by_lecture ON public.lecture_progress USING btree (school_id, course_id, lecture_id);

-- learning: how a school presents one of its lecturers
create table lecturers (
  school_id uuid not null,
  user_id uuid not null,
  headline text not null default ''::text,
  bio text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, user_id),
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  CHECK ((length(bio) <= 20000)),
  CHECK ((length(headline) <= 300))
);
CREATE TRIGGER lecturers_touch BEFORE UPDATE ON public.lecturers FOR EACH ROW EXECUTE FUNCTION touch_row();

-- learning: one lesson; dripped by days since enrollment, or at a date, or open at once
create table lectures (
  school_id uuid not null,
  id uuid not null,
  course_id uuid not null,
  section_id uuid not null,
  position integer not null,
  title text not null,
  kind text not null default 'video'::text,
  body text not null default ''::text,
  duration_seconds integer not null default 0,
  is_preview boolean not null default false,
  unlock_after_days integer,
  unlock_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, course_id, id),
  UNIQUE (school_id, section_id, "position") DEFERRABLE INITIALLY DEFERRED,
  FOREIGN KEY (school_id, course_id, section_id) REFERENCES sections(school_id, course_id, id) ON DELETE CASCADE,
  CHECK (("position" >= 0)),
  CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  CHECK (((unlock_after_days IS NULL) OR (unlock_at IS NULL))),
  CHECK ((duration_seconds >= 0)),
  CHECK ((kind = ANY (ARRAY['video'::text, 'text'::text, 'quiz'::text, 'file'::text]))),
  CHECK ((length(body) <= 200000)),
  CHECK ((unlock_after_days >= 0))
);
CREATE INDEX lectures_by_course ON public.lectures USING btree (school_id, course_id, section_id, "position");
CREATE TRIGGER lectures_outline_added AFTER INSERT ON public.lectures REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER lectures_outline_moved_from AFTER UPDATE ON public.lectures REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER lectures_outline_moved_to AFTER UPDATE ON public.lectures REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER lectures_outline_removed AFTER DELETE ON public.lectures REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER lectures_touch BEFORE UPDATE ON public.lectures FOR EACH ROW EXECUTE FUNCTION touch_row();

-- consulting: a member's seat on a slot; a study group's class has none
create table meeting_seats (
  school_id uuid not null,
  meeting_id uuid not null,
  user_id uuid not null,
  booked_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (school_id, meeting_id, user_id),
  FOREIGN KEY (school_id, meeting_id) REFERENCES consulting_meetings(school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id)
);
CREATE INDEX meeting_seats_of_person ON public.meeting_seats USING btree (school_id, user_id, meeting_id);
CREATE TRIGGER meeting_seats_only_on_slots BEFORE INSERT OR UPDATE ON public.meeting_seats FOR EACH ROW EXECUTE FUNCTION refuse_seat_in_class();

-- commerce: the courses a plan opens
create table membership_plan_courses (
  school_id uuid not null,
  plan_id uuid not null,
  course_id uuid not null,
  PRIMARY KEY (school_id, plan_id, course_id),
  FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, plan_id) REFERENCES membership_plans(school_id, id) ON DELETE CASCADE
);
CREATE INDEX membership_plan_courses_by_course ON public.membership_plan_courses USING btree (school_id, course_id);

-- commerce: a recurring offer
create table membership_plans (
  school_id uuid not null,
  id uuid not null,
  slug text not null,
  name text not null,
  description text not null default ''::text,
  state text not null default 'draft'::text,
  interval text not null,
  price_amount bigint not null,
  currency text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, slug),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  CHECK (("interval" = ANY (ARRAY['month'::text, 'year'::text]))),
  CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 120))),
  CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CHECK ((length(description) <= 20000)),
  CHECK ((price_amount >= 0)),
  CHECK ((state = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text])))
);
CREATE INDEX membership_plans_by_time ON public.membership_plans USING btree (school_id, created_at, id);
CREATE TRIGGER membership_plans_touch BEFORE UPDATE ON public.membership_plans FOR EACH ROW EXECUTE FUNCTION touch_row();

-- notifications: whether a member wants a topic on a channel
create table notification_subscriptions (
  school_id uuid not null,
  user_id uuid not null,
  topic text not null,
  channel text not null,
  enabled boolean not null,
  updated_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (school_id, user_id, topic, channel),
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  CHECK ((channel = ANY (ARRAY['email'::text, 'in_app'::text]))),
  CHECK ((topic ~ '^[a-z_]{1,64}$'::text))
);

-- notifications: one entry in a member's inbox
create table notifications (
  school_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  kind text not null,
  title text not null,
  body text not null default ''::text,
  url text,
  created_at timestamp(3) with time zone not null default now(),
  read_at timestamp(3) with time zone,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  CHECK ((((length(kind) >= 1) AND (length(kind) <= 64)) AND (kind !~ '[^a-z_]'::text))),
  CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  CHECK ((length(body) <= 10000)),
  CHECK ((length(url) <= 2000))
);
CREATE INDEX notifications_by_time ON public.notifications USING btree (school_id, user_id, created_at, id);
CREATE INDEX notifications_of_school ON public.notifications USING btree (school_id, created_at, id);
CREATE INDEX notifications_unread ON public.notifications USING btree (school_id, user_id) WHERE (read_at IS NULL);

-- commerce: what was bought; a thing of the school, or a line of its own
create table order_items (
  school_id uuid not null,
  order_id uuid not null,
  position integer not null,
  title text not null,
  course_id uuid,
  digital_product_id uuid,
  event_id uuid,
  plan_id uuid,
  quantity integer not null default 1,
  unit_amount bigint not null,
  PRIMARY KEY (school_id, order_id, "position"),
  FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id),
  FOREIGN KEY (school_id, digital_product_id) REFERENCES digital_products(school_id, id),
  FOREIGN KEY (school_id, event_id) REFERENCES events(school_id, id),
  FOREIGN KEY (school_id, order_id) REFERENCES orders(school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, plan_id) REFERENCES membership_plans(school_id, id),
  CHECK (("position" >= 0)),
  CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  CHECK ((num_nonnulls(course_id, digital_product_id, event_id, plan_id) <= 1)),
  CHECK ((quantity > 0)),
  CHECK ((unit_amount >= 0))
);
CREATE INDEX order_items_by_course ON public.order_items USING btree (school_id, course_id) WHERE (course_id IS NOT NULL);
CREATE INDEX order_items_by_event ON public.order_items USING btree (school_id, event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX order_items_by_plan ON public.order_items USING btree (school_id, plan_id) WHERE (plan_id IS NOT NULL);
CREATE INDEX order_items_by_product ON public.order_items USING btree (school_id, digital_product_id) WHERE (digital_product_id IS NOT NULL);

-- commerce: a purchase; operators see it, members see its payments only
create table orders (
  school_id uuid not null,
  id uuid not null,
  number text not null,
  user_id uuid not null,
  state text not null,
  total_amount bigint not null,
  currency text not null,
  completed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, id, user_id),
  UNIQUE (school_id, number),
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  CHECK (((length(number) >= 1) AND (length(number) <= 64))),
  CHECK (((state = 'completed'::text) = (completed_at IS NOT NULL))),
  CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CHECK ((state = ANY (ARRAY['open'::text, 'completed'::text, 'canceled'::text]))),
  CHECK ((total_amount >= 0))
);
CREATE INDEX orders_by_time ON public.orders USING btree (school_id, created_at, id);
CREATE INDEX orders_of_person ON public.orders USING btree (school_id, user_id, created_at, id);
CREATE TRIGGER orders_touch BEFORE UPDATE ON public.orders FOR EACH ROW EXECUTE FUNCTION touch_row();

-- content: a standing page in Markdown
create table pages (
  school_id uuid not null,
  id uuid not null,
  slug text not null,
  title text not null,
  body text not null default ''::text,
  state text not null default 'draft'::text,
  position integer not null default 0,
  published_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, slug),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 120))),
  CHECK (((state <> 'published'::text) OR (published_at IS NOT NULL))),
  CHECK ((length(body) <= 200000)),
  CHECK ((state = ANY (ARRAY['draft'::text, 'published'::text])))
);
CREATE INDEX pages_by_time ON public.pages USING btree (school_id, created_at, id);
CREATE TRIGGER pages_touch BEFORE UPDATE ON public.pages FOR EACH ROW EXECUTE FUNCTION touch_row();

-- people: links for a forgotten password, each good once
create table password_resets (
  id uuid not null,
  secret_hash bytea not null,
  school_id uuid not null,
  user_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  PRIMARY KEY (id),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  FOREIGN KEY (user_id) REFERENCES users(id),
  CHECK ((length(secret_hash) = 32))
);
CREATE INDEX password_resets_by_user ON public.password_resets USING btree (user_id);

-- commerce: coupon and promotion lines of a payment
create table payment_adjustments (
  school_id uuid not null,
  payment_id uuid not null,
  position integer not null,
  kind text not null,
  label text not null,
  amount bigint not null,
  PRIMARY KEY (school_id, payment_id, "position"),
  FOREIGN KEY (school_id, payment_id) REFERENCES payments(school_id, id) ON DELETE CASCADE,
  CHECK (("position" >= 0)),
  CHECK (((length(label) >= 1) AND (length(label) <= 200))),
  CHECK ((amount <= 0)),
  CHECK ((kind = ANY (ARRAY['coupon'::text, 'promotion'::text])))
);

-- commerce: what a payment was for, as it read at the time
create table payment_lines (
  school_id uuid not null,
  payment_id uuid not null,
  position integer not null,
  title text not null,
  quantity integer not null default 1,
  unit_amount bigint not null,
  amount bigint not null,
  PRIMARY KEY (school_id, payment_id, "position"),
  FOREIGN KEY (school_id, payment_id) REFERENCES payments(school_id, id) ON DELETE CASCADE,
  CHECK (("position" >= 0)),
  CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  CHECK ((quantity > 0))
);

-- commerce: one attempt to pay; a retried checkout is another row
create table payments (
  school_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  user_id uuid not null,
  trade_no text not null,
  amount bigint not null,
  currency text not null,
  payment_type text,
  state text not null default 'pending'::text,
  created_at timestamp(3) with time zone not null default now(),
  paid_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  bank_code text,
  bank_name text,
  code_no text,
  installment_count integer,
  installment_amount bigint,
  refunding_state text not null default 'none'::text,
  refunded_amount bigint not null default 0,
  refund_requested_at timestamp(3) with time zone,
  refunded_at timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, trade_no),
  FOREIGN KEY (school_id, order_id, user_id) REFERENCES orders(school_id, id, user_id),
  CHECK (((installment_count >= 2) AND (installment_count <= 60))),
  CHECK (((installment_count IS NULL) = (installment_amount IS NULL))),
  CHECK (((length(trade_no) >= 1) AND (length(trade_no) <= 64))),
  CHECK (((payment_type = ANY (ARRAY['atm'::text, 'convenience_store'::text])) OR (num_nonnulls(bank_code, bank_name, code_no) = 0))),
  CHECK (((refunding_state = 'none'::text) = (refund_requested_at IS NULL))),
  CHECK (((refunding_state = ANY (ARRAY['partially_refunded'::text, 'refunded'::text])) = (refunded_at IS NOT NULL))),
  CHECK (((state = 'refunded'::text) = (refunding_state = 'refunded'::text))),
  CHECK (((state = ANY (ARRAY['paid'::text, 'refunded'::text])) = (paid_at IS NOT NULL))),
  CHECK ((amount >= 0)),
  CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CHECK ((installment_amount > 0)),
  CHECK ((length(bank_code) <= 20)),
  CHECK ((length(bank_name) <= 100)),
  CHECK ((length(code_no) <= 64)),
  CHECK ((payment_type = ANY (ARRAY['credit_card'::text, 'atm'::text, 'convenience_store'::text, 'free'::text]))),
  CHECK ((refunded_amount <= amount)),
  CHECK ((refunded_amount >= 0)),
  CHECK ((refunding_state = ANY (ARRAY['none'::text, 'requested'::text, 'partially_refunded'::text, 'refunded'::text, 'rejected'::text]))),
  CHECK ((state = ANY (ARRAY['pending'::text, 'paid'::text, 'failed'::text, 'refunded'::text])))
);
CREATE INDEX payments_by_order ON public.payments USING btree (school_id, order_id);
CREATE INDEX payments_by_paid ON public.payments USING btree (school_id, paid_at) WHERE (paid_at IS NOT NULL);
CREATE INDEX payments_by_time ON public.payments USING btree (school_id, created_at, id);
CREATE INDEX payments_of_person ON public.payments USING btree (school_id, user_id, created_at, id);
CREATE TRIGGER payments_touch BEFORE UPDATE ON public.payments FOR EACH ROW EXECUTE FUNCTION touch_row();

-- content: a dated article in Markdown
create table posts (
  school_id uuid not null,
  id uuid not null,
  slug text not null,
  title text not null,
  body text not null default ''::text,
  state text not null default 'draft'::text,
  author_id uuid,
  published_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, slug),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  FOREIGN KEY (school_id, author_id) REFERENCES school_members(school_id, user_id),
  CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 120))),
  CHECK (((state <> 'published'::text) OR (published_at IS NOT NULL))),
  CHECK ((length(body) <= 200000)),
  CHECK ((state = ANY (ARRAY['draft'::text, 'published'::text])))
);
CREATE INDEX posts_by_time ON public.posts USING btree (school_id, created_at, id);
CREATE INDEX posts_published ON public.posts USING btree (school_id, published_at, id) WHERE (state = 'published'::text);
CREATE TRIGGER posts_touch BEFORE UPDATE ON public.posts FOR EACH ROW EXECUTE FUNCTION touch_row();

-- 
create table schema_migrations (
  number integer not null,
  name text not null,
  digest text not null,
  applied_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (number)
);

-- people: the roles of a person at a school; a row without roles has left
create table school_members (
  school_id uuid not null,
  user_id uuid not null,
  roles text[] not null,
  joined_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, user_id),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  FOREIGN KEY (user_id) REFERENCES users(id),
  CHECK (((roles <@ ARRAY['owner'::text, 'admin'::text, 'lecturer'::text, 'student'::text]) AND (cardinality(roles) <= 4) AND (array_position(roles, NULL::text) IS NULL)))
);
CREATE INDEX school_members_by_time ON public.school_members USING btree (school_id, joined_at, user_id);
CREATE INDEX school_members_by_user ON public.school_members USING btree (user_id);
CREATE INDEX school_members_staff ON public.school_members USING btree (school_id, user_id) WHERE (roles && ARRAY['owner'::text, 'admin'::text, 'lecturer'::text]);
CREATE TRIGGER school_members_touch BEFORE UPDATE ON public.school_members FOR EACH ROW EXECUTE FUNCTION touch_row();

-- schools: one row per tenant, found by its origin
create table schools (
  id uuid not null,
  subdomain text not null,
  origin text not null,
  name text not null,
  description text not null default ''::text,
  contact_email text,
  locale text not null default 'en'::text,
  time_zone text not null default 'UTC'::text,
  currency text not null default 'USD'::text,
  variant text not null default 'newer'::text,
  mcp_connections boolean not null default false,
  open_registration boolean not null default false,
  document_hosts text[] not null default '{}'::text[],
  end_authorization_on_replay boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (id),
  UNIQUE (origin),
  UNIQUE (subdomain),
  CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CHECK (((length(time_zone) >= 1) AND (length(time_zone) <= 64))),
  CHECK (((origin ~ '^https?://[^/?#@\s]+$'::text) AND (origin = lower(origin)))),
  CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CHECK ((length(contact_email) <= 320)),
  CHECK ((length(description) <= 5000)),
  CHECK ((locale ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'::text)),
  CHECK ((subdomain ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text)),
  CHECK ((variant = ANY (ARRAY['newer'::text, 'older'::text])))
);
CREATE TRIGGER schools_announce AFTER INSERT OR DELETE OR UPDATE ON public.schools FOR EACH ROW EXECUTE FUNCTION announce_school();
CREATE TRIGGER schools_touch BEFORE UPDATE ON public.schools FOR EACH ROW EXECUTE FUNCTION touch_row();

-- learning: a chapter of a course
create table sections (
  school_id uuid not null,
  id uuid not null,
  course_id uuid not null,
  position integer not null,
  title text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  UNIQUE (school_id, course_id, "position") DEFERRABLE INITIALLY DEFERRED,
  UNIQUE (school_id, course_id, id),
  FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id) ON DELETE CASCADE,
  CHECK (("position" >= 0)),
  CHECK (((length(title) >= 1) AND (length(title) <= 300)))
);
CREATE TRIGGER sections_outline_added AFTER INSERT ON public.sections REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER sections_outline_moved_from AFTER UPDATE ON public.sections REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER sections_outline_moved_to AFTER UPDATE ON public.sections REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER sections_outline_removed AFTER DELETE ON public.sections REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER sections_touch BEFORE UPDATE ON public.sections FOR EACH ROW EXECUTE FUNCTION touch_row();

-- people: failed sign-ins per account and per address; the bucket is a keyed hash
create table sign_in_throttles (
  bucket bytea not null,
  failures integer not null,
  window_ends_at timestamp(3) with time zone not null,
  PRIMARY KEY (bucket),
  CHECK ((failures >= 0)),
  CHECK ((length(bucket) = 32))
) with (fillfactor=90);

-- schools: ES256 keys; published first, active once every cache has them, retired last
create table signing_keys (
  school_id uuid not null,
  kid text not null,
  stage text not null,
  public_jwk jsonb not null,
  sealed_private_key bytea not null,
  published_at timestamp(3) with time zone not null default now(),
  activated_at timestamp(3) with time zone,
  retired_at timestamp(3) with time zone,
  PRIMARY KEY (school_id, kid),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  CHECK ((((stage = 'published'::text) = ((activated_at IS NULL) AND (retired_at IS NULL))) OR ((stage = 'retired'::text) AND (retired_at IS NOT NULL)))),
  CHECK (((length(kid) >= 8) AND (length(kid) <= 64))),
  CHECK (((stage = 'active'::text) = ((activated_at IS NOT NULL) AND (retired_at IS NULL)))),
  CHECK ((stage = ANY (ARRAY['published'::text, 'active'::text, 'retired'::text])))
);
CREATE UNIQUE INDEX signing_keys_one_active ON public.signing_keys USING btree (school_id) WHERE (stage = 'active'::text);
CREATE TRIGGER signing_keys_announce AFTER INSERT OR DELETE OR UPDATE ON public.signing_keys FOR EACH ROW EXECUTE FUNCTION announce_school();

-- consulting: the roster, which is the attendee list of the group's classes
create table study_group_members (
  school_id uuid not null,
  group_id uuid not null,
  user_id uuid not null,
  joined_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (school_id, group_id, user_id),
  FOREIGN KEY (school_id, group_id) REFERENCES study_groups(school_id, id) ON DELETE CASCADE,
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id)
);
CREATE INDEX study_group_members_by_user ON public.study_group_members USING btree (school_id, user_id);

-- consulting: members who meet as a class
create table study_groups (
  school_id uuid not null,
  id uuid not null,
  name text not null,
  course_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id) REFERENCES schools(id),
  FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id),
  CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);
CREATE INDEX study_groups_by_time ON public.study_groups USING btree (school_id, created_at, id);
CREATE TRIGGER study_groups_touch BEFORE UPDATE ON public.study_groups FOR EACH ROW EXECUTE FUNCTION touch_row();

-- commerce: a member's running plan
create table subscriptions (
  school_id uuid not null,
  id uuid not null,
  plan_id uuid not null,
  user_id uuid not null,
  state text not null,
  started_at timestamp(3) with time zone not null default now(),
  current_period_starts_at timestamp(3) with time zone not null,
  current_period_ends_at timestamp(3) with time zone not null,
  cancel_at_period_end boolean not null default false,
  canceled_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  PRIMARY KEY (school_id, id),
  FOREIGN KEY (school_id, plan_id) REFERENCES membership_plans(school_id, id),
  FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  CHECK (((state <> 'canceled'::text) OR (canceled_at IS NOT NULL))),
  CHECK ((current_period_ends_at > current_period_starts_at)),
  CHECK ((state = ANY (ARRAY['active'::text, 'past_due'::text, 'canceled'::text])))
);
CREATE INDEX subscriptions_by_plan ON public.subscriptions USING btree (school_id, plan_id);
CREATE INDEX subscriptions_by_time ON public.subscriptions USING btree (school_id, created_at, id);
CREATE UNIQUE INDEX subscriptions_one_alive ON public.subscriptions USING btree (school_id, user_id, plan_id) WHERE (state <> 'canceled'::text);
CREATE TRIGGER subscriptions_touch BEFORE UPDATE ON public.subscriptions FOR EACH ROW EXECUTE FUNCTION touch_row();

-- grants: an access token and its refresh token, one revocation stamp
create table token_pairs (
  id uuid not null,
  authorization_id uuid not null,
  bound_school_id uuid,
  scopes text[] not null,
  access_hash bytea not null,
  refresh_hash bytea not null,
  previous_id uuid,
  issued_at timestamp(3) with time zone not null default now(),
  access_expires_at timestamp(3) with time zone not null,
  refresh_expires_at timestamp(3) with time zone not null,
  first_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  PRIMARY KEY (id),
  FOREIGN KEY (authorization_id) REFERENCES authorizations(id) ON DELETE CASCADE,
  FOREIGN KEY (bound_school_id) REFERENCES schools(id),
  CHECK ((length(access_hash) = 32)),
  CHECK ((length(refresh_hash) = 32))
) with (fillfactor=90);
CREATE INDEX token_pairs_by_authorization ON public.token_pairs USING btree (authorization_id);

-- people: a person, the same at every school
create table users (
  id uuid not null,
  email text,
  name text not null,
  avatar_url text,
  password_hash text,
  password_changed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  deleted_at timestamp(3) with time zone,
  PRIMARY KEY (id),
  CHECK ((((length(email) >= 3) AND (length(email) <= 320)) AND (email ~~ '%_@_%'::text))),
  CHECK (((deleted_at IS NULL) OR (password_hash IS NULL))),
  CHECK (((email IS NULL) = (deleted_at IS NOT NULL))),
  CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CHECK ((length(avatar_url) <= 2000))
);
CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));
CREATE TRIGGER users_touch BEFORE UPDATE ON public.users FOR EACH ROW EXECUTE FUNCTION touch_row();

-- clients: known integrations of this installation, matched by their exact name
create table vendor_platforms (
  client_id text not null,
  client_name text not null,
  redirect_uris text[] not null,
  created_at timestamp(3) with time zone not null default now(),
  PRIMARY KEY (client_id),
  UNIQUE (client_name),
  CHECK (((cardinality(redirect_uris) >= 1) AND (cardinality(redirect_uris) <= 20))),
  CHECK (((length(client_id) >= 1) AND (length(client_id) <= 200))),
  CHECK (((length(client_name) >= 1) AND (length(client_name) <= 200)))
);
