-- The schema after all migrations, read back from PostgreSQL. `npm run schema` rewrites it.

-- Tells every process to forget what it cached about a school.
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

-- The figures of a new school are complete: all its rows will leave marks.
CREATE OR REPLACE FUNCTION public.begin_figures()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into school_figures (school_id, filled_at) values (new.id, now());
  return null;
end $function$;

-- Ends the foreign clients of a school that have addresses of its own tools.
CREATE OR REPLACE FUNCTION public.clear_tool_addresses(school uuid, origin text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  foreigners text[];
begin
  -- No client_id that is presented has a fragment, so a row with one is out of the way for good.
  foreigners := array(
    select client_id from clients
    where school_id = school and slug is null
      and starts_with(client_id, origin || '/clients/') and position('#' in client_id) = 0);
  -- Codes before the clients, as in every other place that ends a client.
  delete from authorization_codes
  where school_id = school and client_id = any (foreigners) and consumed_at is null;
  update clients set client_id = client_id || '#' || gen_random_uuid(), deleted_at = coalesce(deleted_at, now())
  where school_id = school and client_id = any (foreigners);
  update authorizations set revoked_at = now()
  where id in (
    select id from authorizations
    where school_id = school and revoked_at is null
      and starts_with(client_id, origin || '/clients/') and position('#' in client_id) > 0
    order by id for no key update);
end $function$;

-- The callback of Codex for the member's tool endpoint of an origin, as assistants.ts makes it.
CREATE OR REPLACE FUNCTION public.codex_callback(origin text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select 'http://127.0.0.1/callback/' || translate(
    encode(substring(sha256(convert_to(origin || '/mcp/member', 'UTF8')) from 1 for 9), 'base64'), '+/', '-_')
$function$;

-- Keeps how many rows a parent has. Arguments: the table of parents, its column, the column that names a parent, which rows count.
CREATE OR REPLACE FUNCTION public.count_at_parent()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

-- A cached outline is good while its course still has this version.
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

-- Adds to the length of a roster what came, and takes away what went.
CREATE OR REPLACE FUNCTION public.count_roster()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update study_groups g set member_count = g.member_count + case tg_op when 'INSERT' then d.members else -d.members end
  from (select school_id, group_id, count(*)::integer as members from changed group by school_id, group_id) d
  where g.school_id = d.school_id and g.id = d.group_id;
  return null;
end $function$;

-- In another time zone the days of a school begin at other times.
CREATE OR REPLACE FUNCTION public.forget_figures()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update school_figures set filled_at = null, filled_with = null where school_id = new.id;
  return null;
end $function$;

-- Forgets the HTML of a text that changed or is gone; the writer of a text adds its HTML after that.
CREATE OR REPLACE FUNCTION public.forget_html()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from rendered_texts where school_id = old.school_id and object_id = old.id;
  return null;
end $function$;

-- Counts the redemptions of a coupon to its limit.
CREATE OR REPLACE FUNCTION public.has_all_redemptions(coupon coupons)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select coupon.max_redemptions is not null and exists (
    select from coupon_redemptions r where r.school_id = coupon.school_id and r.coupon_id = coupon.id
    offset coupon.max_redemptions - 1)
$function$;

-- the wanted scopes that are held too, in the order of the wanted ones
CREATE OR REPLACE FUNCTION public.held_scopes(wanted text[], held text[])
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
begin
  return array(select scope from unnest(wanted) scope where scope = any (held));
end $function$;

-- Marks a file that a lecture or a product no longer has.
CREATE OR REPLACE FUNCTION public.keep_file_guarded()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update files set was_guarded = true where school_id = old.school_id and id = old.file_id and not was_guarded;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.mark_course()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into figure_marks (school_id, part, key) values (new.school_id, 'course', new.course_id::text);
  if new.course_id <> old.course_id then
    insert into figure_marks (school_id, part, key) values (old.school_id, 'course', old.course_id::text);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.mark_courses()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into figure_marks (school_id, part, key) select school_id, 'course', id::text from changed;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.mark_enrollment()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into figure_marks (school_id, part, key)
  values
    (old.school_id, 'enrollments', (old.enrolled_at at time zone 'UTC')::date::text),
    (new.school_id, 'enrollments', (new.enrolled_at at time zone 'UTC')::date::text),
    (old.school_id, 'course', old.course_id::text),
    (new.school_id, 'course', new.course_id::text);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.mark_enrollments()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into figure_marks (school_id, part, key)
  select distinct school_id, 'enrollments', (enrolled_at at time zone 'UTC')::date::text from changed
  union all
  select distinct school_id, 'course', course_id::text from changed;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.mark_learning_days()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into figure_marks (school_id, part, key) select distinct school_id, 'learners', day::text from changed;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.mark_lectures()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into figure_marks (school_id, part, key)
  select distinct school_id, 'course', course_id::text from changed;
  return null;
end $function$;

-- Marks the days of payments in UTC: the days of the school are found when they are counted.
CREATE OR REPLACE FUNCTION public.mark_payments()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into figure_marks (school_id, part, key)
  select distinct c.school_id, 'revenue', (t.at at time zone 'UTC')::date::text
  from changed c cross join lateral (values (c.paid_at), (c.refunded_at)) t (at)
  where t.at is not null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.mark_progress()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into figure_marks (school_id, part, key)
  select distinct school_id, 'course', course_id::text from changed where state = 'completed';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.mark_total()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into figure_marks (school_id, part, key) select distinct school_id, tg_argv[0], '' from changed;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.mark_total_of_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into figure_marks (school_id, part, key) values (new.school_id, tg_argv[0], '');
  return null;
end $function$;

-- Moves the seats of a meeting with it.
CREATE OR REPLACE FUNCTION public.move_seats()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update meeting_seats set starts_at = new.starts_at where school_id = new.school_id and meeting_id = new.id;
  return null;
end $function$;

-- Gives the tools of a school, and its applications for Codex, the addresses of its new origin.
CREATE OR REPLACE FUNCTION public.move_tools()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform clear_tool_addresses(new.id, new.origin);
  update clients set client_id = new.origin || '/clients/' || slug || '.json'
  where school_id = new.id and slug is not null;
  update clients
  set redirect_uris = array_replace(redirect_uris, codex_callback(old.origin), codex_callback(new.origin))
  where school_id = new.id and assistant = 'codex';
  return null;
end $function$;

-- Notes on a coupon with another limit whether it is used up.
CREATE OR REPLACE FUNCTION public.note_limit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.used_up := has_all_redemptions(new);
  return new;
end $function$;

-- Notes on coupons whether they are used up.
CREATE OR REPLACE FUNCTION public.note_redemptions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

-- Only the purge job, which says so in its transaction, may remove old entries. Of an entry only the count of its repetitions can change: it grows.
CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' and current_setting('schoolgate.purging', true) = 'on' then
    return old;
  end if;
  if tg_op = 'UPDATE'
    and jsonb_typeof(new.detail -> 'repeated') = 'number'
    and new.detail -> 'repeated' > coalesce(old.detail -> 'repeated', '0')
    and new.detail - 'repeated' = old.detail - 'repeated'
    and to_jsonb(new) - 'detail' = to_jsonb(old) - 'detail'
  then
    return new;
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

-- A forgotten member who gets a role again begins anew: the school sees the name that it typed until they sign in.
CREATE OR REPLACE FUNCTION public.remember_member()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.forgotten_at := null;
  new.signed_in_at := null;
  return new;
end $function$;

-- Writes the start of its meeting on a new seat.
CREATE OR REPLACE FUNCTION public.set_seat_time()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Locked, so that a meeting that is being moved moves this seat too.
  select m.starts_at into new.starts_at from consulting_meetings m
  where m.school_id = new.school_id and m.id = new.meeting_id for share;
  return new;
end $function$;

-- Stamps updated_at and counts the version that ETags are made of.
CREATE OR REPLACE FUNCTION public.touch_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.updated_at := now();
  new.version := old.version + 1;
  return new;
end $function$;

-- grants: what an authorization was used for on a day of the last 30, counted once a minute
create table app_activity (
  school_id uuid not null,
  authorization_id uuid not null,
  kind text not null,
  day date not null,
  reads integer not null,
  changes integer not null,
  last_read_at timestamp(3) with time zone,
  last_changed_at timestamp(3) with time zone,
  constraint app_activity_pkey PRIMARY KEY (school_id, authorization_id, kind, day),
  constraint app_activity_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint app_activity_kind_check CHECK ((length(kind) <= 40))
) with (fillfactor=90);
CREATE INDEX app_activity_by_day ON public.app_activity USING btree (day);
-- app_activity.authorization_id: no foreign key: rows of a purged authorization go within 31 days by themselves
-- app_activity.day: in the time zone of the school

-- grants: the sums of app_activity by app, written with it
create table app_activity_sums (
  school_id uuid not null,
  client_id text not null,
  kind text not null,
  day date not null,
  reads bigint not null,
  changes bigint not null,
  last_read_at timestamp(3) with time zone,
  last_changed_at timestamp(3) with time zone,
  constraint app_activity_sums_pkey PRIMARY KEY (school_id, client_id, kind, day),
  constraint app_activity_sums_school_id_client_id_fkey FOREIGN KEY (school_id, client_id) REFERENCES clients(school_id, client_id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint app_activity_sums_kind_check CHECK ((length(kind) <= 40))
) with (fillfactor=90);
CREATE INDEX app_activity_sums_by_day ON public.app_activity_sums USING btree (day);

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
  constraint appearances_pkey PRIMARY KEY (school_id),
  constraint appearances_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint appearances_school_id_logo_file_id_fkey FOREIGN KEY (school_id, logo_file_id) REFERENCES files(school_id, id),
  constraint appearances_accent_color_check CHECK ((accent_color ~ '^#[0-9a-f]{6}$'::text)),
  constraint appearances_primary_color_check CHECK ((primary_color ~ '^#[0-9a-f]{6}$'::text)),
  constraint appearances_tagline_check CHECK ((length(tagline) <= 300))
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
  constraint audit_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entries_by_action ON public.audit_entries USING btree (school_id, action, id) WHERE ((action)::text <> ALL ((ARRAY['token.issued'::character varying, 'token.refreshed'::character varying])::text[]));
CREATE INDEX audit_entries_by_actor ON public.audit_entries USING btree (school_id, actor_user_id, id);
CREATE INDEX audit_entries_by_client ON public.audit_entries USING btree (school_id, client_id, id);
CREATE INDEX audit_entries_by_school ON public.audit_entries USING btree (school_id, id);
CREATE INDEX audit_entries_of_person ON public.audit_entries USING btree (school_id, (
CASE
    WHEN (split_part((action)::text, '.'::text, 1) = ANY (ARRAY['authorization'::text, 'member'::text, 'person'::text])) THEN (COALESCE(subject, ((actor_user_id)::text)::character varying))::text
    ELSE COALESCE((actor_user_id)::text, (subject)::text)
END), id) WHERE (split_part((action)::text, '.'::text, 1) = ANY (ARRAY['authorization'::text, 'member'::text, 'person'::text, 'session'::text, 'passkey'::text, 'factor'::text]));
CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR UPDATE ON public.audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- people: the authenticator app of a person, confirmed by a code; password sign-ins ask for one while the row stands
create table authenticators (
  user_id uuid not null,
  sealed_secret bytea not null,
  last_step bigint not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint authenticators_pkey PRIMARY KEY (user_id),
  constraint authenticators_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint authenticators_sealed_secret_check CHECK ((length(sealed_secret) <= 200))
) with (fillfactor=90);
-- authenticators.sealed_secret: sealed for the user_id
-- authenticators.last_step: the time step of the last code that was used; no code of it or of an earlier one works again

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
  acr text,
  amr text[],
  constraint authorization_codes_pkey PRIMARY KEY (id),
  constraint authorization_codes_school_id_client_id_fkey FOREIGN KEY (school_id, client_id) REFERENCES clients(school_id, client_id) ON UPDATE CASCADE,
  constraint authorization_codes_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  constraint authorization_codes_audience_check CHECK ((audience = ANY (ARRAY['member'::text, 'operator'::text]))),
  constraint authorization_codes_consumed_with_pair CHECK (((consumed_at IS NULL) = (pair_id IS NULL))),
  constraint authorization_codes_hash_check CHECK ((length(hash) = 32)),
  constraint authorization_codes_member_has_resource CHECK (((audience = 'operator'::text) OR (resource IS NOT NULL)))
) with (fillfactor=90);
CREATE INDEX authorization_codes_by_client ON public.authorization_codes USING btree (school_id, client_id, user_id);
-- authorization_codes.pair_id: the pair it was exchanged for: a retry of our own is told from a replay by it
-- authorization_codes.acr: how the person had signed in when they agreed, for the ID token; null if the client did not ask

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
  access_round integer not null default 0,
  constraint authorizations_pkey PRIMARY KEY (id),
  constraint authorizations_school_id_client_id_fkey FOREIGN KEY (school_id, client_id) REFERENCES clients(school_id, client_id) ON UPDATE CASCADE,
  constraint authorizations_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  constraint authorizations_audience_check CHECK ((audience = ANY (ARRAY['member'::text, 'operator'::text]))),
  constraint authorizations_device_check CHECK ((length(device) <= 200))
) with (fillfactor=90);
CREATE INDEX authorizations_by_client ON public.authorizations USING btree (school_id, client_id, id);
CREATE INDEX authorizations_by_code ON public.authorizations USING btree (code_id);
CREATE INDEX authorizations_by_person ON public.authorizations USING btree (school_id, user_id, id);
CREATE INDEX authorizations_of_app ON public.authorizations USING btree (school_id, client_id, access_round, user_id);
-- authorizations.user_id: null: a record without a resource owner, refused as not bound to a user
-- authorizations.last_used_at: true to within the lifetime of an access token
-- authorizations.access_round: the round of the client when the authorization was made

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
  methods text[] not null default '{password}'::text[],
  factor_since timestamp(3) with time zone,
  constraint browser_sessions_pkey PRIMARY KEY (id),
  constraint browser_sessions_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint browser_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint browser_sessions_device_check CHECK ((length(device) <= 200)),
  constraint browser_sessions_secret_hash_check CHECK ((length(secret_hash) = 32))
) with (fillfactor=90);
CREATE INDEX browser_sessions_by_expiry ON public.browser_sessions USING btree (expires_at);
CREATE INDEX browser_sessions_by_user ON public.browser_sessions USING btree (user_id);
-- browser_sessions.methods: what the person proved in this session, the last of it at authenticated_at: password, passkey, code, recovery_code, mail_link; earlier_passkey if another proof came later; trusted_device if no code was asked for in a trusted browser; other_school if a passkey or code was proved at the school where it works
-- browser_sessions.factor_since: when the passkey or authenticator of the last proof was added; null after a proof without one

-- people: the private address from which the calendar of a member reads their bookings; only a hash of its secret
create table calendar_feeds (
  school_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  secret_hash bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint calendar_feeds_pkey PRIMARY KEY (school_id, id),
  constraint calendar_feeds_school_id_user_id_key UNIQUE (school_id, user_id),
  constraint calendar_feeds_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  constraint calendar_feeds_secret_hash_check CHECK ((length(secret_hash) = 32))
);
CREATE INDEX calendar_feeds_of_person ON public.calendar_feeds USING btree (user_id);

-- clients: the last good copy of each fetched client metadata document
create table client_documents (
  url text not null,
  document jsonb,
  failure text,
  fetched_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  constraint client_documents_pkey PRIMARY KEY (url),
  constraint client_documents_document_or_failure CHECK (((document IS NULL) <> (failure IS NULL))),
  constraint client_documents_failure_check CHECK ((length(failure) <= 500)),
  constraint client_documents_url_check CHECK ((length(url) <= 2000))
);
-- client_documents.failure: only older releases write it; a row with it counts as absent

-- clients: the picture that a school gave one of its applications
create table client_logos (
  school_id uuid not null,
  client_id text not null,
  id uuid not null,
  content_type text not null,
  bytes bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint client_logos_pkey PRIMARY KEY (school_id, client_id),
  constraint client_logos_by_id UNIQUE (school_id, id),
  constraint client_logos_client_fkey FOREIGN KEY (school_id, client_id) REFERENCES clients(school_id, client_id) ON UPDATE CASCADE ON DELETE CASCADE,
  constraint client_logos_content_type CHECK ((content_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text]))),
  constraint client_logos_size CHECK (((octet_length(bytes) >= 1) AND (octet_length(bytes) <= 65536)))
);
-- client_logos.id: in the address of the picture; a new one for each new picture

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
  platform_disabled_at timestamp(3) with time zone,
  slug text,
  old_secret_hash bytea,
  old_secret_expires_at timestamp(3) with time zone,
  post_logout_redirect_uris text[] not null default '{}'::text[],
  codes_withdrawn_at timestamp(3) with time zone,
  access_round integer not null default 0,
  assistant text,
  website_url text,
  privacy_url text,
  constraint clients_pkey PRIMARY KEY (school_id, client_id),
  constraint clients_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint clients_reviewed_by_fkey FOREIGN KEY (reviewed_by) REFERENCES users(id),
  constraint clients_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint clients_audience_check CHECK ((audience = ANY (ARRAY['member'::text, 'operator'::text]))),
  constraint clients_client_id_check CHECK (((length(client_id) >= 1) AND (length(client_id) <= 2000))),
  constraint clients_confidential_has_secret CHECK ((confidential = (secret_hash IS NOT NULL))),
  constraint clients_kind_check CHECK ((kind = ANY (ARRAY['application'::text, 'vendor'::text, 'document'::text, 'tool'::text]))),
  constraint clients_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint clients_old_secret_expires CHECK (((old_secret_hash IS NULL) = (old_secret_expires_at IS NULL))),
  constraint clients_old_secret_has_new CHECK (((old_secret_hash IS NULL) OR (secret_hash IS NOT NULL))),
  constraint clients_old_secret_hash_check CHECK ((length(old_secret_hash) = 32)),
  constraint clients_platform_is_public_operator CHECK (((kind = 'application'::text) OR ((audience = 'operator'::text) AND (NOT confidential)))),
  constraint clients_post_logout_redirect_uris_check CHECK ((cardinality(post_logout_redirect_uris) <= 50)),
  constraint clients_redirect_uris_check CHECK (((cardinality(redirect_uris) >= 1) AND (cardinality(redirect_uris) <= 50))),
  constraint clients_scopes_check CHECK ((cardinality(scopes) >= 1)),
  constraint clients_secret_hash_check CHECK ((length(secret_hash) = 32)),
  constraint clients_slug_check CHECK ((slug ~ '^[a-z0-9][a-z0-9-]{1,58}[a-z0-9]$'::text)),
  constraint clients_tool_has_slug CHECK (((kind = 'tool'::text) = (slug IS NOT NULL)))
);
CREATE UNIQUE INDEX clients_by_slug ON public.clients USING btree (school_id, slug) WHERE (slug IS NOT NULL);
CREATE INDEX clients_by_time ON public.clients USING btree (school_id, created_at, client_id);
CREATE TRIGGER clients_announce AFTER INSERT OR UPDATE OF deleted_at ON public.clients FOR EACH ROW WHEN ((new.slug IS NOT NULL)) EXECUTE FUNCTION announce_school();
CREATE TRIGGER clients_touch BEFORE UPDATE ON public.clients FOR EACH ROW EXECUTE FUNCTION touch_row();
-- clients.deleted_at: the application is gone; the row stays for its past authorizations
-- clients.platform_disabled_at: the administrator disabled the platform at all schools; here too, so that the check of a token reads one row
-- clients.slug: name of a tool in its address; a deleted tool keeps it, so that it is never used again
-- clients.old_secret_hash: the secret before the last renewal; accepted until old_secret_expires_at
-- clients.post_logout_redirect_uris: compared letter by letter, the port of loopback included
-- clients.codes_withdrawn_at: when its codes were last deleted; a consent that began before gives no code
-- clients.access_round: goes up when all access of the client ends; authorizations of earlier rounds are ended
-- clients.assistant: the assistant whose template made this application; its members find the steps on the page about assistants
-- clients.website_url: where the app tells about itself, shown when people are asked for consent
-- clients.privacy_url: what the app does with data, shown when people are asked for consent

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
  constraint comments_pkey PRIMARY KEY (school_id, id),
  constraint comments_school_id_lecture_id_id_key UNIQUE (school_id, lecture_id, id),
  constraint comments_parent_at_same_lecture FOREIGN KEY (school_id, lecture_id, parent_id) REFERENCES comments(school_id, lecture_id, id) ON DELETE CASCADE,
  constraint comments_school_id_lecture_id_fkey FOREIGN KEY (school_id, lecture_id) REFERENCES lectures(school_id, id) ON DELETE CASCADE,
  constraint comments_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  constraint comments_body_check CHECK (((length(body) >= 1) AND (length(body) <= 10000)))
);
CREATE INDEX comments_by_lecture ON public.comments USING btree (school_id, lecture_id, created_at, id);
CREATE INDEX comments_by_parent ON public.comments USING btree (school_id, parent_id, created_at, id) WHERE (parent_id IS NOT NULL);
CREATE INDEX comments_by_time ON public.comments USING btree (school_id, created_at, id);
CREATE INDEX comments_by_user ON public.comments USING btree (school_id, user_id, created_at, id);
CREATE INDEX comments_hidden ON public.comments USING btree (school_id, created_at, id) WHERE (hidden_at IS NOT NULL);
CREATE INDEX comments_of_lecture ON public.comments USING btree (school_id, lecture_id, created_at, id) WHERE (parent_id IS NULL);
CREATE INDEX comments_search ON public.comments USING gin (lower("left"(body, 20000)) gin_trgm_ops, regexp_replace(lower("left"(body, 20000)), '(\w)'::text, '\1\1\1'::text, 'g'::text) gin_trgm_ops) WITH (gin_pending_list_limit='64');
CREATE STATISTICS public.comments_ids (dependencies) ON school_id, lecture_id, user_id FROM comments;

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
  constraint consulting_meetings_pkey PRIMARY KEY (school_id, id),
  constraint consulting_meetings_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint consulting_meetings_school_id_service_id_fkey FOREIGN KEY (school_id, service_id) REFERENCES consulting_services(school_id, id),
  constraint consulting_meetings_school_id_study_group_id_fkey FOREIGN KEY (school_id, study_group_id) REFERENCES study_groups(school_id, id),
  constraint consulting_meetings_class_available CHECK (((study_group_id IS NULL) OR (state = 'available'::text))),
  constraint consulting_meetings_end_after_start CHECK ((ends_at > starts_at)),
  constraint consulting_meetings_room_url_check CHECK ((length(room_url) <= 2000)),
  constraint consulting_meetings_service_or_group CHECK ((num_nonnulls(service_id, study_group_id) = 1)),
  constraint consulting_meetings_state_check CHECK ((state = ANY (ARRAY['available'::text, 'scheduled'::text, 'canceled'::text]))),
  constraint consulting_meetings_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300)))
);
CREATE INDEX consulting_meetings_by_end ON public.consulting_meetings USING btree (school_id, ends_at);
CREATE INDEX consulting_meetings_by_group ON public.consulting_meetings USING btree (school_id, study_group_id, starts_at, id) WHERE (study_group_id IS NOT NULL);
CREATE INDEX consulting_meetings_by_service ON public.consulting_meetings USING btree (school_id, service_id, starts_at, id) WHERE (service_id IS NOT NULL);
CREATE INDEX consulting_meetings_by_start ON public.consulting_meetings USING btree (school_id, starts_at, id);
CREATE INDEX consulting_meetings_by_time ON public.consulting_meetings USING btree (school_id, created_at, id);
CREATE INDEX consulting_meetings_search ON public.consulting_meetings USING gin (lower("left"(title, 20000)) gin_trgm_ops, regexp_replace(lower("left"(title, 20000)), '(\w)'::text, '\1\1\1'::text, 'g'::text) gin_trgm_ops) WITH (gin_pending_list_limit='64');
CREATE STATISTICS public.consulting_meetings_ids (dependencies) ON school_id, service_id, study_group_id FROM consulting_meetings;
CREATE TRIGGER consulting_meetings_touch BEFORE UPDATE ON public.consulting_meetings FOR EACH ROW EXECUTE FUNCTION touch_row();
CREATE TRIGGER seats_moved AFTER UPDATE OF starts_at ON public.consulting_meetings FOR EACH ROW WHEN ((old.starts_at <> new.starts_at)) EXECUTE FUNCTION move_seats();

-- consulting: whose students are offered a service
create table consulting_service_courses (
  school_id uuid not null,
  service_id uuid not null,
  course_id uuid not null,
  constraint consulting_service_courses_pkey PRIMARY KEY (school_id, service_id, course_id),
  constraint consulting_service_courses_school_id_course_id_fkey FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id) ON DELETE CASCADE,
  constraint consulting_service_courses_school_id_service_id_fkey FOREIGN KEY (school_id, service_id) REFERENCES consulting_services(school_id, id) ON DELETE CASCADE
);
CREATE INDEX consulting_service_courses_by_course ON public.consulting_service_courses USING btree (school_id, course_id);

-- consulting: time that a lecturer offers for meetings
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
  changes_until_hours integer,
  constraint consulting_services_pkey PRIMARY KEY (school_id, id),
  constraint consulting_services_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint consulting_services_school_id_host_id_fkey FOREIGN KEY (school_id, host_id) REFERENCES school_members(school_id, user_id),
  constraint consulting_services_description_check CHECK ((length(description) <= 20000)),
  constraint consulting_services_state_check CHECK ((state = ANY (ARRAY['offered'::text, 'paused'::text]))),
  constraint consulting_services_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300)))
);
CREATE INDEX consulting_services_by_time ON public.consulting_services USING btree (school_id, created_at, id);
CREATE TRIGGER consulting_services_touch BEFORE UPDATE ON public.consulting_services FOR EACH ROW EXECUTE FUNCTION touch_row();
-- consulting_services.changes_until_hours: members move and cancel their own seats until this long before the start; null if they do not

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
  constraint consulting_slots_pkey PRIMARY KEY (school_id, id),
  constraint consulting_slots_school_id_service_id_fkey FOREIGN KEY (school_id, service_id) REFERENCES consulting_services(school_id, id) ON DELETE CASCADE,
  constraint consulting_slots_capacity_check CHECK ((capacity > 0)),
  constraint consulting_slots_duration_minutes_check CHECK (((duration_minutes >= 5) AND (duration_minutes <= 1440))),
  constraint consulting_slots_time_zone_check CHECK (((length(time_zone) >= 1) AND (length(time_zone) <= 64))),
  constraint consulting_slots_weekday_check CHECK (((weekday >= 1) AND (weekday <= 7)))
);
CREATE INDEX consulting_slots_by_service ON public.consulting_slots USING btree (school_id, service_id, weekday, starts_at);
CREATE STATISTICS public.consulting_slots_ids (dependencies) ON school_id, service_id FROM consulting_slots;

-- commerce: a coupon used on a purchase; its count is counted here
create table coupon_redemptions (
  school_id uuid not null,
  id uuid not null,
  coupon_id uuid not null,
  order_id uuid not null,
  user_id uuid not null,
  redeemed_at timestamp(3) with time zone not null default now(),
  constraint coupon_redemptions_pkey PRIMARY KEY (school_id, id),
  constraint coupon_redemptions_school_id_coupon_id_order_id_key UNIQUE (school_id, coupon_id, order_id),
  constraint coupon_redemptions_school_id_coupon_id_fkey FOREIGN KEY (school_id, coupon_id) REFERENCES coupons(school_id, id),
  constraint coupon_redemptions_school_id_order_id_user_id_fkey FOREIGN KEY (school_id, order_id, user_id) REFERENCES orders(school_id, id, user_id)
);
CREATE INDEX coupon_redemptions_by_member ON public.coupon_redemptions USING btree (school_id, coupon_id, user_id);
CREATE INDEX coupon_redemptions_by_order ON public.coupon_redemptions USING btree (school_id, order_id);
CREATE STATISTICS public.coupon_redemptions_ids (dependencies) ON school_id, coupon_id, order_id, user_id FROM coupon_redemptions;
CREATE TRIGGER coupon_redemptions_counted_gone AFTER DELETE ON public.coupon_redemptions REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION count_at_parent('coupons', 'redemption_count', 'coupon_id', 'true');
CREATE TRIGGER coupon_redemptions_counted_new AFTER INSERT ON public.coupon_redemptions REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION count_at_parent('coupons', 'redemption_count', 'coupon_id', 'true');
CREATE TRIGGER redemptions_added AFTER INSERT ON public.coupon_redemptions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_redemptions();
CREATE TRIGGER redemptions_removed AFTER DELETE ON public.coupon_redemptions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_redemptions();

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
  used_up boolean not null default false,
  redemption_count integer not null default 0,
  constraint coupons_pkey PRIMARY KEY (school_id, id),
  constraint coupons_school_id_code_key UNIQUE (school_id, code),
  constraint coupons_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint coupons_amount_has_currency CHECK (((amount_off IS NULL) = (currency IS NULL))),
  constraint coupons_amount_off_check CHECK ((amount_off > 0)),
  constraint coupons_code_check CHECK ((code ~ '^[A-Z0-9][A-Z0-9_-]{1,63}$'::text)),
  constraint coupons_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint coupons_end_after_start CHECK (((starts_at IS NULL) OR (ends_at IS NULL) OR (ends_at > starts_at))),
  constraint coupons_max_per_member_check CHECK ((max_per_member > 0)),
  constraint coupons_max_redemptions_check CHECK ((max_redemptions > 0)),
  constraint coupons_percent_off_check CHECK (((percent_off >= 1) AND (percent_off <= 100))),
  constraint coupons_percent_or_amount CHECK (((percent_off IS NULL) <> (amount_off IS NULL)))
);
CREATE INDEX coupons_bounded ON public.coupons USING btree (school_id, created_at, id) WHERE ((archived_at IS NOT NULL) OR used_up OR (starts_at IS NOT NULL) OR (ends_at IS NOT NULL));
CREATE INDEX coupons_by_code ON public.coupons USING btree (school_id, code COLLATE "C", id);
CREATE INDEX coupons_by_time ON public.coupons USING btree (school_id, created_at, id);
CREATE INDEX coupons_search ON public.coupons USING gin (lower("left"(code, 20000)) gin_trgm_ops) WITH (gin_pending_list_limit='64');
CREATE TRIGGER coupons_limit BEFORE UPDATE OF max_redemptions ON public.coupons FOR EACH ROW WHEN ((old.max_redemptions IS DISTINCT FROM new.max_redemptions)) EXECUTE FUNCTION note_limit();
CREATE TRIGGER coupons_touch BEFORE UPDATE ON public.coupons FOR EACH ROW WHEN ((old.redemption_count = new.redemption_count)) EXECUTE FUNCTION touch_row();
-- coupons.used_up: whether it has as many redemptions as it may have, kept by triggers
-- coupons.redemption_count: how many redemptions it has, kept by triggers

-- analytics: how far the students of a course are
create table course_figures (
  school_id uuid not null,
  course_id uuid not null,
  lecture_count bigint not null,
  student_count bigint not null,
  completed_count bigint not null,
  lectures_done bigint not null,
  constraint course_figures_pkey PRIMARY KEY (school_id, course_id),
  constraint course_figures_school_id_course_id_fkey FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id) ON DELETE CASCADE
);
CREATE INDEX course_figures_by_students ON public.course_figures USING btree (school_id, student_count DESC, course_id);
-- course_figures.lectures_done: completed lectures of all its students together

-- learning: who teaches a course
create table course_lecturers (
  school_id uuid not null,
  course_id uuid not null,
  user_id uuid not null,
  position integer not null default 0,
  constraint course_lecturers_pkey PRIMARY KEY (school_id, course_id, user_id),
  constraint course_lecturers_school_id_course_id_fkey FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id) ON DELETE CASCADE,
  constraint course_lecturers_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES lecturers(school_id, user_id) ON DELETE CASCADE
);
CREATE INDEX course_lecturers_of_person ON public.course_lecturers USING btree (school_id, user_id, course_id);

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
  comments_allowed boolean not null default true,
  constraint courses_pkey PRIMARY KEY (school_id, id),
  constraint courses_school_id_slug_key UNIQUE (school_id, slug),
  constraint courses_school_id_cover_file_id_fkey FOREIGN KEY (school_id, cover_file_id) REFERENCES files(school_id, id),
  constraint courses_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint courses_archived_with_time CHECK (((state = 'archived'::text) = (archived_at IS NOT NULL))),
  constraint courses_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint courses_description_check CHECK ((length(description) <= 100000)),
  constraint courses_price_amount_check CHECK ((price_amount >= 0)),
  constraint courses_published_has_time CHECK (((state <> 'published'::text) OR (published_at IS NOT NULL))),
  constraint courses_slug_check CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 120))),
  constraint courses_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text]))),
  constraint courses_summary_check CHECK ((length(summary) <= 1000)),
  constraint courses_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300)))
);
CREATE INDEX courses_by_cover ON public.courses USING btree (school_id, cover_file_id) WHERE (cover_file_id IS NOT NULL);
CREATE INDEX courses_by_price ON public.courses USING btree (school_id, price_amount, id);
CREATE INDEX courses_by_state ON public.courses USING btree (school_id, state, created_at, id);
CREATE INDEX courses_by_time ON public.courses USING btree (school_id, created_at, id);
CREATE INDEX courses_by_title ON public.courses USING btree (school_id, title COLLATE "C", id);
CREATE INDEX courses_by_update ON public.courses USING btree (school_id, updated_at, id);
CREATE INDEX courses_in_sitemap ON public.courses USING btree (school_id, "right"((id)::text, 3) COLLATE "C", id) WHERE (state = 'published'::text);
CREATE INDEX courses_published ON public.courses USING btree (school_id, published_at, id) WHERE (state = 'published'::text);
CREATE INDEX courses_search ON public.courses USING gin (lower((((("left"(title, 20000) || ' '::text) || "left"(summary, 20000)) || ' '::text) || "left"(description, 20000))) gin_trgm_ops, regexp_replace(lower((((("left"(title, 20000) || ' '::text) || "left"(summary, 20000)) || ' '::text) || "left"(description, 20000))), '(\w)'::text, '\1\1\1'::text, 'g'::text) gin_trgm_ops, lower("left"(title, 20000)) gin_trgm_ops, regexp_replace(lower("left"(title, 20000)), '(\w)'::text, '\1\1\1'::text, 'g'::text) gin_trgm_ops, lower("left"(slug, 20000)) gin_trgm_ops) WITH (gin_pending_list_limit='64');
CREATE TRIGGER courses_changed_text AFTER UPDATE OF description ON public.courses FOR EACH ROW WHEN ((old.description IS DISTINCT FROM new.description)) EXECUTE FUNCTION forget_html();
CREATE TRIGGER courses_marked_new AFTER INSERT ON public.courses REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_courses();
CREATE TRIGGER courses_removed_text AFTER DELETE ON public.courses FOR EACH ROW EXECUTE FUNCTION forget_html();
CREATE TRIGGER courses_touch BEFORE UPDATE ON public.courses FOR EACH ROW EXECUTE FUNCTION touch_row();
-- courses.comments_allowed: whether people who have the course read and write comments below its lectures

-- people: people who asked to be deleted, until it is done or they changed their mind
create table deletion_requests (
  id uuid not null,
  user_id uuid not null,
  school_id uuid,
  requested_at timestamp(3) with time zone not null default now(),
  due_at timestamp(3) with time zone not null,
  blocked_at timestamp(3) with time zone,
  constraint deletion_requests_pkey PRIMARY KEY (id),
  constraint deletion_requests_once UNIQUE NULLS NOT DISTINCT (user_id, school_id),
  constraint deletion_requests_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint deletion_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX deletion_requests_by_school ON public.deletion_requests USING btree (school_id);
CREATE INDEX deletion_requests_by_time ON public.deletion_requests USING btree (due_at);
-- deletion_requests.school_id: where they are to be forgotten; null for the whole account
-- deletion_requests.blocked_at: when it was due and could not be done, because a school would have had no owner

-- commerce: a member may download a product
create table digital_product_accesses (
  school_id uuid not null,
  id uuid not null,
  product_id uuid not null,
  user_id uuid not null,
  granted_at timestamp(3) with time zone not null default now(),
  revoked_at timestamp(3) with time zone,
  constraint digital_product_accesses_pkey PRIMARY KEY (school_id, id),
  constraint digital_product_accesses_school_id_user_id_product_id_key UNIQUE (school_id, user_id, product_id),
  constraint digital_product_accesses_school_id_product_id_fkey FOREIGN KEY (school_id, product_id) REFERENCES digital_products(school_id, id),
  constraint digital_product_accesses_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id)
);
CREATE INDEX digital_product_accesses_by_product ON public.digital_product_accesses USING btree (school_id, product_id);
CREATE INDEX digital_product_accesses_of_person ON public.digital_product_accesses USING btree (school_id, user_id, granted_at, id);
CREATE STATISTICS public.digital_product_accesses_ids (dependencies) ON school_id, product_id, user_id FROM digital_product_accesses;
CREATE TRIGGER digital_product_accesses_counted AFTER UPDATE ON public.digital_product_accesses REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION count_at_parent('digital_products', 'owner_count', 'product_id', 'revoked_at is null');
CREATE TRIGGER digital_product_accesses_counted_gone AFTER DELETE ON public.digital_product_accesses REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION count_at_parent('digital_products', 'owner_count', 'product_id', 'revoked_at is null');
CREATE TRIGGER digital_product_accesses_counted_new AFTER INSERT ON public.digital_product_accesses REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION count_at_parent('digital_products', 'owner_count', 'product_id', 'revoked_at is null');

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
  owner_count integer not null default 0,
  constraint digital_products_pkey PRIMARY KEY (school_id, id),
  constraint digital_products_school_id_slug_key UNIQUE (school_id, slug),
  constraint digital_products_school_id_file_id_fkey FOREIGN KEY (school_id, file_id) REFERENCES files(school_id, id),
  constraint digital_products_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint digital_products_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint digital_products_description_check CHECK ((length(description) <= 100000)),
  constraint digital_products_price_amount_check CHECK ((price_amount >= 0)),
  constraint digital_products_slug_check CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 120))),
  constraint digital_products_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text]))),
  constraint digital_products_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300)))
);
CREATE INDEX digital_products_by_file ON public.digital_products USING btree (school_id, file_id) WHERE (file_id IS NOT NULL);
CREATE INDEX digital_products_by_time ON public.digital_products USING btree (school_id, created_at, id);
CREATE INDEX digital_products_in_sitemap ON public.digital_products USING btree (school_id, "right"((id)::text, 3) COLLATE "C", id) WHERE (state = 'published'::text);
CREATE TRIGGER digital_products_changed_text AFTER UPDATE OF description ON public.digital_products FOR EACH ROW WHEN ((old.description IS DISTINCT FROM new.description)) EXECUTE FUNCTION forget_html();
CREATE TRIGGER digital_products_file_removed AFTER DELETE ON public.digital_products FOR EACH ROW WHEN ((old.file_id IS NOT NULL)) EXECUTE FUNCTION keep_file_guarded();
CREATE TRIGGER digital_products_file_replaced AFTER UPDATE OF file_id ON public.digital_products FOR EACH ROW WHEN (((old.file_id IS DISTINCT FROM new.file_id) AND (old.file_id IS NOT NULL))) EXECUTE FUNCTION keep_file_guarded();
CREATE TRIGGER digital_products_removed_text AFTER DELETE ON public.digital_products FOR EACH ROW EXECUTE FUNCTION forget_html();
CREATE TRIGGER digital_products_touch BEFORE UPDATE ON public.digital_products FOR EACH ROW WHEN ((old.owner_count = new.owner_count)) EXECUTE FUNCTION touch_row();
-- digital_products.owner_count: members who may download it, kept by triggers

-- people: new email addresses that people asked for, until the change can no longer be undone
create table email_changes (
  id uuid not null,
  school_id uuid not null,
  user_id uuid not null,
  old_email text not null,
  new_email text not null,
  created_at timestamp(3) with time zone not null default now(),
  old_confirmed_at timestamp(3) with time zone,
  new_confirmed_at timestamp(3) with time zone,
  changed_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  asked_school_id uuid,
  session_id uuid,
  factor_since timestamp(3) with time zone,
  constraint email_changes_pkey PRIMARY KEY (id),
  constraint email_changes_asked_school_id_fkey FOREIGN KEY (asked_school_id) REFERENCES schools(id),
  constraint email_changes_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint email_changes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint email_changes_new_email_check CHECK ((length(new_email) <= 320)),
  constraint email_changes_old_email_check CHECK ((length(old_email) <= 320))
);
CREATE INDEX email_changes_by_old_email ON public.email_changes USING btree (lower(old_email));
CREATE INDEX email_changes_by_user ON public.email_changes USING btree (user_id);
-- email_changes.school_id: whose mails have the links: where the person has signed in for longest
-- email_changes.ended_at: stopped, replaced by a newer request, or undone: its links do nothing any more
-- email_changes.asked_school_id: where the person asked
-- email_changes.session_id: the browser that asked, which stays signed in
-- email_changes.factor_since: as in the session that asked: an older factor proved the change, so it is undone only with one

-- analytics: enrollments that began on a day in the time zone of the school
create table enrollment_days (
  school_id uuid not null,
  day date not null,
  source text not null,
  enrollment_count bigint not null,
  constraint enrollment_days_pkey PRIMARY KEY (school_id, day, source),
  constraint enrollment_days_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id) ON DELETE CASCADE
);

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
  constraint enrollments_pkey PRIMARY KEY (school_id, id),
  constraint enrollments_school_id_user_id_course_id_key UNIQUE (school_id, user_id, course_id),
  constraint enrollments_school_id_course_id_fkey FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id),
  constraint enrollments_school_id_course_id_last_lecture_id_fkey FOREIGN KEY (school_id, course_id, last_lecture_id) REFERENCES lectures(school_id, course_id, id) ON DELETE SET NULL (last_lecture_id),
  constraint enrollments_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  constraint enrollments_end_after_start CHECK (((expires_at IS NULL) OR (expires_at > enrolled_at))),
  constraint enrollments_last_position_seconds_check CHECK ((last_position_seconds >= 0)),
  constraint enrollments_source_check CHECK ((source = ANY (ARRAY['purchase'::text, 'plan'::text, 'grant'::text, 'import'::text])))
);
CREATE INDEX enrollments_by_course ON public.enrollments USING btree (school_id, course_id, enrolled_at, id);
CREATE INDEX enrollments_by_end ON public.enrollments USING btree (school_id, expires_at, id) WHERE ((revoked_at IS NULL) AND (expires_at IS NOT NULL));
CREATE INDEX enrollments_by_end_in_course ON public.enrollments USING btree (school_id, course_id, expires_at, id) WHERE ((revoked_at IS NULL) AND (expires_at IS NOT NULL));
CREATE INDEX enrollments_by_start ON public.enrollments USING btree (school_id, enrolled_at, id);
CREATE INDEX enrollments_by_time ON public.enrollments USING btree (school_id, created_at, id);
CREATE INDEX enrollments_of_course ON public.enrollments USING btree (school_id, course_id, user_id);
CREATE INDEX enrollments_of_person ON public.enrollments USING btree (school_id, user_id, enrolled_at, id);
CREATE INDEX enrollments_revoked_by_start ON public.enrollments USING btree (school_id, enrolled_at, id) WHERE (revoked_at IS NOT NULL);
CREATE INDEX enrollments_revoked_in_course ON public.enrollments USING btree (school_id, course_id, enrolled_at, id) WHERE (revoked_at IS NOT NULL);
CREATE STATISTICS public.enrollments_ids (dependencies) ON school_id, course_id, user_id FROM enrollments;
CREATE TRIGGER enrollments_marked AFTER UPDATE ON public.enrollments FOR EACH ROW WHEN ((((((old.course_id IS DISTINCT FROM new.course_id) OR (old.user_id IS DISTINCT FROM new.user_id)) OR (old.source IS DISTINCT FROM new.source)) OR (old.enrolled_at IS DISTINCT FROM new.enrolled_at)) OR (old.revoked_at IS DISTINCT FROM new.revoked_at))) EXECUTE FUNCTION mark_enrollment();
CREATE TRIGGER enrollments_marked_gone AFTER DELETE ON public.enrollments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_enrollments();
CREATE TRIGGER enrollments_marked_new AFTER INSERT ON public.enrollments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_enrollments();
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
  constraint event_registrations_pkey PRIMARY KEY (school_id, id),
  constraint event_registrations_school_id_event_id_user_id_key UNIQUE (school_id, event_id, user_id),
  constraint event_registrations_school_id_event_id_fkey FOREIGN KEY (school_id, event_id) REFERENCES events(school_id, id),
  constraint event_registrations_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  constraint event_registrations_canceled_with_time CHECK (((state = 'canceled'::text) = (canceled_at IS NOT NULL))),
  constraint event_registrations_state_check CHECK ((state = ANY (ARRAY['registered'::text, 'attended'::text, 'canceled'::text])))
);
CREATE INDEX event_registrations_by_event ON public.event_registrations USING btree (school_id, event_id, registered_at, id);
CREATE INDEX event_registrations_in_state ON public.event_registrations USING btree (school_id, event_id, state, registered_at, id);
CREATE INDEX event_registrations_of_person ON public.event_registrations USING btree (school_id, user_id, registered_at, id);
CREATE STATISTICS public.event_registrations_ids (dependencies) ON school_id, event_id, user_id FROM event_registrations;
CREATE TRIGGER event_registrations_counted AFTER UPDATE ON public.event_registrations REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION count_at_parent('events', 'registration_count', 'event_id', 'state <> ''canceled''');
CREATE TRIGGER event_registrations_counted_gone AFTER DELETE ON public.event_registrations REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION count_at_parent('events', 'registration_count', 'event_id', 'state <> ''canceled''');
CREATE TRIGGER event_registrations_counted_new AFTER INSERT ON public.event_registrations REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION count_at_parent('events', 'registration_count', 'event_id', 'state <> ''canceled''');
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
  registration_count integer not null default 0,
  constraint events_pkey PRIMARY KEY (school_id, id),
  constraint events_school_id_slug_key UNIQUE (school_id, slug),
  constraint events_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint events_capacity_check CHECK ((capacity > 0)),
  constraint events_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint events_description_check CHECK ((length(description) <= 100000)),
  constraint events_end_after_start CHECK ((ends_at > starts_at)),
  constraint events_location_check CHECK ((length(location) <= 500)),
  constraint events_online_url_check CHECK ((length(online_url) <= 2000)),
  constraint events_price_amount_check CHECK ((price_amount >= 0)),
  constraint events_slug_check CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 120))),
  constraint events_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'published'::text, 'canceled'::text]))),
  constraint events_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300)))
);
CREATE INDEX events_by_start ON public.events USING btree (school_id, starts_at, id);
CREATE INDEX events_by_time ON public.events USING btree (school_id, created_at, id);
CREATE INDEX events_in_sitemap ON public.events USING btree (school_id, "right"((id)::text, 3) COLLATE "C", id) WHERE (state = 'published'::text);
CREATE TRIGGER events_changed_text AFTER UPDATE OF description ON public.events FOR EACH ROW WHEN ((old.description IS DISTINCT FROM new.description)) EXECUTE FUNCTION forget_html();
CREATE TRIGGER events_removed_text AFTER DELETE ON public.events FOR EACH ROW EXECUTE FUNCTION forget_html();
CREATE TRIGGER events_touch BEFORE UPDATE ON public.events FOR EACH ROW WHEN ((old.registration_count = new.registration_count)) EXECUTE FUNCTION touch_row();
-- events.registration_count: registrations that are not canceled, kept by triggers

-- analytics: figures that a write made wrong; removed in the transaction that counts them again
create table figure_marks (
  school_id uuid not null,
  marked_at timestamp(3) with time zone not null default now(),
  id uuid not null default gen_random_uuid(),
  part text not null,
  key text not null,
  counted jsonb,
  constraint figure_marks_pkey PRIMARY KEY (school_id, marked_at, id),
  constraint figure_marks_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id) ON DELETE CASCADE
);
-- figure_marks.counted: null until the count of its figure begins; then what is counted so far, and where the next range begins

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
  was_guarded boolean not null default false,
  constraint files_pkey PRIMARY KEY (school_id, id),
  constraint files_school_id_created_by_fkey FOREIGN KEY (school_id, created_by) REFERENCES school_members(school_id, user_id),
  constraint files_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint files_content_type_check CHECK (((length(content_type) >= 3) AND (length(content_type) <= 200))),
  constraint files_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  constraint files_sha256_check CHECK ((length(sha256) = 32)),
  constraint files_size_bytes_check CHECK ((size_bytes >= 0)),
  constraint files_storage_key_check CHECK (((length(storage_key) >= 1) AND (length(storage_key) <= 500)))
);
CREATE INDEX files_by_time ON public.files USING btree (school_id, created_at, id);
-- files.was_guarded: a lecture or a product had it and gave it up, kept by triggers; never false again

-- content: the answers that a person sent to a form
create table form_submissions (
  school_id uuid not null,
  id uuid not null,
  form_id uuid not null,
  user_id uuid,
  answers jsonb not null,
  submitted_at timestamp(3) with time zone not null default now(),
  constraint form_submissions_pkey PRIMARY KEY (school_id, id),
  constraint form_submissions_school_id_form_id_fkey FOREIGN KEY (school_id, form_id) REFERENCES forms(school_id, id),
  constraint form_submissions_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  constraint form_submissions_answers_check CHECK ((jsonb_typeof(answers) = 'object'::text))
);
CREATE INDEX form_submissions_by_form ON public.form_submissions USING btree (school_id, form_id, submitted_at, id);
CREATE INDEX form_submissions_by_member ON public.form_submissions USING btree (school_id, user_id, form_id);
CREATE STATISTICS public.form_submissions_ids (dependencies) ON school_id, form_id FROM form_submissions;
CREATE TRIGGER form_submissions_counted_gone AFTER DELETE ON public.form_submissions REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION count_at_parent('forms', 'submission_count', 'form_id', 'true');
CREATE TRIGGER form_submissions_counted_new AFTER INSERT ON public.form_submissions REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION count_at_parent('forms', 'submission_count', 'form_id', 'true');

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
  submission_count integer not null default 0,
  once_per_member boolean not null default false,
  constraint forms_pkey PRIMARY KEY (school_id, id),
  constraint forms_school_id_slug_key UNIQUE (school_id, slug),
  constraint forms_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint forms_fields_check CHECK ((jsonb_typeof(fields) = 'array'::text)),
  constraint forms_slug_check CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 120))),
  constraint forms_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'open'::text, 'closed'::text]))),
  constraint forms_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300)))
);
CREATE INDEX forms_by_time ON public.forms USING btree (school_id, created_at, id);
CREATE TRIGGER forms_touch BEFORE UPDATE ON public.forms FOR EACH ROW WHEN ((old.submission_count = new.submission_count)) EXECUTE FUNCTION touch_row();
-- forms.submission_count: how many submissions it has, kept by triggers
-- forms.once_per_member: only members answer it, each of them once

-- idempotency: the answer to a write, kept a day and found by a hash of its key, authorization, method and path
create table idempotent_answers (
  school_id uuid not null,
  key_hash bytea not null,
  fingerprint bytea not null,
  status integer not null,
  headers jsonb not null,
  body text not null,
  answered_at timestamp(3) with time zone not null default now(),
  constraint idempotent_answers_pkey PRIMARY KEY (school_id, key_hash),
  constraint idempotent_answers_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint idempotent_answers_fingerprint_check CHECK ((length(fingerprint) = 32)),
  constraint idempotent_answers_headers_check CHECK ((jsonb_typeof(headers) = 'object'::text)),
  constraint idempotent_answers_key_hash_check CHECK ((length(key_hash) = 32)),
  constraint idempotent_answers_status_check CHECK (((status >= 200) AND (status <= 499)))
);
CREATE INDEX idempotent_answers_by_time ON public.idempotent_answers USING btree (answered_at);

-- setup: one row; a value sealed with the secret of the installation, when readiness last proved that rows can be written, the moment of the last good backup that a server made by itself, and until when one of them works on the next
create table installations (
  single boolean not null default true,
  secret_check bytea not null,
  written_at timestamp(3) with time zone not null default now(),
  backed_up_at timestamp(3) with time zone,
  backup_lease_until timestamp(3) with time zone,
  constraint installations_pkey PRIMARY KEY (single),
  constraint installations_single_check CHECK (single)
);

-- commerce: the invoice of a payment
create table invoices (
  school_id uuid not null,
  payment_id uuid not null,
  number text not null,
  issued_at timestamp(3) with time zone not null default now(),
  url text,
  constraint invoices_pkey PRIMARY KEY (school_id, payment_id),
  constraint invoices_school_id_number_key UNIQUE (school_id, number),
  constraint invoices_school_id_payment_id_fkey FOREIGN KEY (school_id, payment_id) REFERENCES payments(school_id, id) ON DELETE CASCADE,
  constraint invoices_number_check CHECK (((length(number) >= 1) AND (length(number) <= 64))),
  constraint invoices_url_check CHECK ((length(url) <= 2000))
);

-- jobs: a task that runs in the background, how far it is, and what came of it
create table jobs (
  school_id uuid not null,
  id uuid not null,
  kind text not null,
  title text not null,
  input jsonb not null,
  scopes text[] not null default '{}'::text[],
  can_cancel boolean not null default true,
  state text not null default 'waiting'::text,
  cursor jsonb,
  done_count bigint not null default 0,
  total_count bigint,
  result jsonb,
  problem text,
  files jsonb not null default '[]'::jsonb,
  via text not null,
  user_id uuid,
  client_id text,
  authorization_id uuid,
  request_id text,
  worker uuid,
  lease_until timestamp(3) with time zone,
  attempts integer not null default 0,
  cancel_requested boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  storing text,
  of_member boolean not null default false,
  session_id uuid,
  constraint jobs_pkey PRIMARY KEY (school_id, id),
  constraint jobs_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint jobs_finished_with_time CHECK (((state = ANY (ARRAY['done'::text, 'failed'::text, 'cancelled'::text])) = ((finished_at IS NOT NULL) AND (expires_at IS NOT NULL)))),
  constraint jobs_kind_check CHECK (((length(kind) <= 100) AND (kind ~ '^[a-z_]+\.[a-z_]+$'::text))),
  constraint jobs_leased_while_running CHECK (((state = 'running'::text) = ((worker IS NOT NULL) AND (lease_until IS NOT NULL)))),
  constraint jobs_problem_check CHECK ((length(problem) <= 2000)),
  constraint jobs_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'failed'::text, 'cancelled'::text]))),
  constraint jobs_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300)))
);
CREATE INDEX jobs_by_time ON public.jobs USING btree (school_id, created_at, id);
CREATE INDEX jobs_expired ON public.jobs USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX jobs_of_member ON public.jobs USING btree (school_id, user_id, id) WHERE of_member;
CREATE UNIQUE INDEX jobs_running ON public.jobs USING btree (school_id) WHERE (state = 'running'::text);
CREATE INDEX jobs_waiting ON public.jobs USING btree (school_id, id) WHERE (state = 'waiting'::text);
-- jobs.scopes: a token needs all of them to see the job
-- jobs.cursor: where the next step begins; it moves in the transaction of the step
-- jobs.files: keys in the file store, in the order of their bytes; removed with the row
-- jobs.worker: the run that holds the lease; a run whose lease ended may write nothing
-- jobs.attempts: how often it was begun since its last step
-- jobs.storing: the key of a file that a run is about to store; null once it is among its files
-- jobs.of_member: a member asked for it, about themselves: operators do not see it, and it goes on whatever roles the member has

-- analytics: students whose first or last day of learning in a day, week or month is this day
create table learner_days (
  school_id uuid not null,
  span text not null,
  day date not null,
  first_count bigint not null,
  last_count bigint not null,
  constraint learner_days_pkey PRIMARY KEY (school_id, span, day),
  constraint learner_days_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id) ON DELETE CASCADE,
  constraint learner_days_span_check CHECK ((span = ANY (ARRAY['day'::text, 'week'::text, 'month'::text])))
);

-- learning: who learned on a day; progress rows only remember the last time
create table learning_days (
  school_id uuid not null,
  day date not null,
  user_id uuid not null,
  constraint learning_days_pkey PRIMARY KEY (school_id, day, user_id),
  constraint learning_days_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id)
);
CREATE INDEX learning_days_by_user ON public.learning_days USING btree (school_id, user_id);
CREATE TRIGGER learning_days_marked_gone AFTER DELETE ON public.learning_days REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_learning_days();
CREATE TRIGGER learning_days_marked_new AFTER INSERT ON public.learning_days REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_learning_days();

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
  constraint lecture_progress_pkey PRIMARY KEY (school_id, user_id, course_id, lecture_id),
  constraint lecture_progress_school_id_course_id_lecture_id_fkey FOREIGN KEY (school_id, course_id, lecture_id) REFERENCES lectures(school_id, course_id, id) ON DELETE CASCADE,
  constraint lecture_progress_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  constraint lecture_progress_completed_with_time CHECK (((state = 'completed'::text) = (completed_at IS NOT NULL))),
  constraint lecture_progress_position_seconds_check CHECK ((position_seconds >= 0)),
  constraint lecture_progress_state_check CHECK ((state = ANY (ARRAY['read'::text, 'completed'::text])))
) with (fillfactor=90);
CREATE INDEX lecture_progress_by_lecture ON public.lecture_progress USING btree (school_id, course_id, lecture_id);
CREATE STATISTICS public.lecture_progress_ids (dependencies) ON school_id, user_id, course_id, lecture_id FROM lecture_progress;
CREATE TRIGGER lecture_progress_marked AFTER UPDATE ON public.lecture_progress FOR EACH ROW WHEN ((((old.state IS DISTINCT FROM new.state) OR (old.user_id IS DISTINCT FROM new.user_id)) OR (old.course_id IS DISTINCT FROM new.course_id))) EXECUTE FUNCTION mark_course();
CREATE TRIGGER lecture_progress_marked_gone AFTER DELETE ON public.lecture_progress REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_progress();
CREATE TRIGGER lecture_progress_marked_new AFTER INSERT ON public.lecture_progress REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_progress();

-- learning: how a school presents one of its lecturers
create table lecturers (
  school_id uuid not null,
  user_id uuid not null,
  headline text not null default ''::text,
  bio text not null default ''::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  constraint lecturers_pkey PRIMARY KEY (school_id, user_id),
  constraint lecturers_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  constraint lecturers_bio_check CHECK ((length(bio) <= 20000)),
  constraint lecturers_headline_check CHECK ((length(headline) <= 300))
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
  video_url text,
  file_id uuid,
  announce_at timestamp(3) with time zone,
  constraint lectures_pkey PRIMARY KEY (school_id, id),
  constraint lectures_school_id_course_id_id_key UNIQUE (school_id, course_id, id),
  constraint lectures_school_id_section_id_position_key UNIQUE (school_id, section_id, "position") DEFERRABLE INITIALLY DEFERRED,
  constraint lectures_school_id_course_id_section_id_fkey FOREIGN KEY (school_id, course_id, section_id) REFERENCES sections(school_id, course_id, id) ON DELETE CASCADE,
  constraint lectures_school_id_file_id_fkey FOREIGN KEY (school_id, file_id) REFERENCES files(school_id, id) NOT VALID,
  constraint lectures_body_check CHECK ((length(body) <= 200000)),
  constraint lectures_duration_seconds_check CHECK ((duration_seconds >= 0)),
  constraint lectures_kind_check CHECK ((kind = ANY (ARRAY['video'::text, 'text'::text, 'quiz'::text, 'file'::text]))),
  constraint lectures_one_unlock CHECK (((unlock_after_days IS NULL) OR (unlock_at IS NULL))),
  constraint lectures_position_check CHECK (("position" >= 0)),
  constraint lectures_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  constraint lectures_unlock_after_days_check CHECK ((unlock_after_days >= 0))
);
CREATE INDEX lectures_by_course ON public.lectures USING btree (school_id, course_id, section_id, "position");
CREATE INDEX lectures_by_file ON public.lectures USING btree (school_id, file_id) WHERE (file_id IS NOT NULL);
CREATE INDEX lectures_to_announce ON public.lectures USING btree (school_id, announce_at) WHERE (announce_at IS NOT NULL);
CREATE STATISTICS public.lectures_ids (dependencies) ON school_id, course_id, section_id FROM lectures;
CREATE TRIGGER lectures_changed_text AFTER UPDATE OF body ON public.lectures FOR EACH ROW WHEN ((old.body IS DISTINCT FROM new.body)) EXECUTE FUNCTION forget_html();
CREATE TRIGGER lectures_file_removed AFTER DELETE ON public.lectures FOR EACH ROW WHEN ((old.file_id IS NOT NULL)) EXECUTE FUNCTION keep_file_guarded();
CREATE TRIGGER lectures_file_replaced AFTER UPDATE OF file_id ON public.lectures FOR EACH ROW WHEN (((old.file_id IS DISTINCT FROM new.file_id) AND (old.file_id IS NOT NULL))) EXECUTE FUNCTION keep_file_guarded();
CREATE TRIGGER lectures_marked AFTER UPDATE ON public.lectures FOR EACH ROW WHEN ((old.course_id <> new.course_id)) EXECUTE FUNCTION mark_course();
CREATE TRIGGER lectures_marked_gone AFTER DELETE ON public.lectures REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_lectures();
CREATE TRIGGER lectures_marked_new AFTER INSERT ON public.lectures REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_lectures();
CREATE TRIGGER lectures_outline_added AFTER INSERT ON public.lectures REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER lectures_outline_moved_from AFTER UPDATE ON public.lectures REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER lectures_outline_moved_to AFTER UPDATE ON public.lectures REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER lectures_outline_removed AFTER DELETE ON public.lectures REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER lectures_removed_text AFTER DELETE ON public.lectures FOR EACH ROW EXECUTE FUNCTION forget_html();
CREATE TRIGGER lectures_touch BEFORE UPDATE ON public.lectures FOR EACH ROW EXECUTE FUNCTION touch_row();
-- lectures.video_url: https; played on the page if the school names its host, else a link
-- lectures.file_id: what students download
-- lectures.announce_at: when its students are told that it is open; null if it was imported, opens for each at another time, or is from before they were told

-- people: who can no longer use their passkeys or authenticator, which are removed after a wait
create table lost_factors (
  user_id uuid not null,
  asked_school_id uuid not null,
  asked_at timestamp(3) with time zone not null default now(),
  told_at timestamp(3) with time zone not null default now(),
  constraint lost_factors_pkey PRIMARY KEY (user_id),
  constraint lost_factors_asked_school_id_fkey FOREIGN KEY (asked_school_id) REFERENCES schools(id),
  constraint lost_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX lost_factors_by_told_at ON public.lost_factors USING btree (told_at);
-- lost_factors.asked_school_id: where the person asked
-- lost_factors.told_at: the last of the daily notices

-- notifications: mails with notifications that were queued in a day (UTC), handed over, and refused by the mail server for their address
create table mail_days (
  school_id uuid not null,
  day date not null,
  queued integer not null default 0,
  sent integer not null default 0,
  refused integer not null default 0,
  constraint mail_days_pkey PRIMARY KEY (school_id, day),
  constraint mail_days_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id)
);

-- consulting: a member's seat on a slot; a study group's class has none
create table meeting_seats (
  school_id uuid not null,
  meeting_id uuid not null,
  user_id uuid not null,
  booked_at timestamp(3) with time zone not null default now(),
  starts_at timestamp(3) with time zone,
  constraint meeting_seats_pkey PRIMARY KEY (school_id, meeting_id, user_id),
  constraint meeting_seats_school_id_meeting_id_fkey FOREIGN KEY (school_id, meeting_id) REFERENCES consulting_meetings(school_id, id) ON DELETE CASCADE,
  constraint meeting_seats_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id)
);
CREATE INDEX meeting_seats_by_time ON public.meeting_seats USING btree (school_id, user_id, starts_at, meeting_id);
CREATE INDEX meeting_seats_of_person ON public.meeting_seats USING btree (school_id, user_id, meeting_id);
CREATE INDEX meeting_seats_without_time ON public.meeting_seats USING btree (school_id, user_id) WHERE (starts_at IS NULL);
CREATE TRIGGER meeting_seats_only_on_slots BEFORE INSERT OR UPDATE ON public.meeting_seats FOR EACH ROW EXECUTE FUNCTION refuse_seat_in_class();
CREATE TRIGGER seat_time BEFORE INSERT ON public.meeting_seats FOR EACH ROW EXECUTE FUNCTION set_seat_time();
-- meeting_seats.starts_at: the start of the meeting, kept by triggers; null in older rows until a server fills them in

-- commerce: the courses a plan opens
create table membership_plan_courses (
  school_id uuid not null,
  plan_id uuid not null,
  course_id uuid not null,
  constraint membership_plan_courses_pkey PRIMARY KEY (school_id, plan_id, course_id),
  constraint membership_plan_courses_school_id_course_id_fkey FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id) ON DELETE CASCADE,
  constraint membership_plan_courses_school_id_plan_id_fkey FOREIGN KEY (school_id, plan_id) REFERENCES membership_plans(school_id, id) ON DELETE CASCADE
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
  active_subscription_count integer not null default 0,
  constraint membership_plans_pkey PRIMARY KEY (school_id, id),
  constraint membership_plans_school_id_slug_key UNIQUE (school_id, slug),
  constraint membership_plans_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint membership_plans_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint membership_plans_description_check CHECK ((length(description) <= 20000)),
  constraint membership_plans_interval_check CHECK (("interval" = ANY (ARRAY['month'::text, 'year'::text]))),
  constraint membership_plans_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint membership_plans_price_amount_check CHECK ((price_amount >= 0)),
  constraint membership_plans_slug_check CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 120))),
  constraint membership_plans_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text])))
);
CREATE INDEX membership_plans_by_time ON public.membership_plans USING btree (school_id, created_at, id);
CREATE INDEX membership_plans_in_sitemap ON public.membership_plans USING btree (school_id, "right"((id)::text, 3) COLLATE "C", id) WHERE (state = 'published'::text);
CREATE TRIGGER membership_plans_changed_text AFTER UPDATE OF description ON public.membership_plans FOR EACH ROW WHEN ((old.description IS DISTINCT FROM new.description)) EXECUTE FUNCTION forget_html();
CREATE TRIGGER membership_plans_removed_text AFTER DELETE ON public.membership_plans FOR EACH ROW EXECUTE FUNCTION forget_html();
CREATE TRIGGER membership_plans_touch BEFORE UPDATE ON public.membership_plans FOR EACH ROW WHEN ((old.active_subscription_count = new.active_subscription_count)) EXECUTE FUNCTION touch_row();
-- membership_plans.active_subscription_count: subscriptions that are not canceled, kept by triggers

-- people: links "it was not me" in mails about an account, each good once
create table notice_links (
  id uuid not null,
  secret_hash bytea not null,
  school_id uuid not null,
  user_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  constraint notice_links_pkey PRIMARY KEY (id),
  constraint notice_links_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint notice_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint notice_links_secret_hash_check CHECK ((length(secret_hash) = 32))
);
CREATE INDEX notice_links_by_user ON public.notice_links USING btree (user_id);

-- notifications: whether a member wants a topic on a channel
create table notification_subscriptions (
  school_id uuid not null,
  user_id uuid not null,
  topic text not null,
  channel text not null,
  enabled boolean not null,
  updated_at timestamp(3) with time zone not null default now(),
  constraint notification_subscriptions_pkey PRIMARY KEY (school_id, user_id, topic, channel),
  constraint notification_subscriptions_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  constraint notification_subscriptions_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'in_app'::text]))),
  constraint notification_subscriptions_topic_check CHECK ((topic ~ '^[a-z_]{1,64}$'::text))
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
  facts jsonb,
  topic text,
  in_inbox boolean not null default true,
  mail_due_at timestamp(3) with time zone,
  constraint notifications_pkey PRIMARY KEY (school_id, id),
  constraint notifications_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  constraint notifications_body_check CHECK ((length(body) <= 10000)),
  constraint notifications_kind_check CHECK ((((length(kind) >= 1) AND (length(kind) <= 64)) AND (kind !~ '[^a-z_]'::text))),
  constraint notifications_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  constraint notifications_url_check CHECK ((length(url) <= 2000))
);
CREATE INDEX notifications_by_time ON public.notifications USING btree (school_id, user_id, created_at, id);
CREATE INDEX notifications_not_in_inbox ON public.notifications USING btree (created_at) WHERE (NOT in_inbox);
CREATE INDEX notifications_of_school ON public.notifications USING btree (school_id, created_at, id);
CREATE INDEX notifications_to_mail ON public.notifications USING btree (school_id, mail_due_at) WHERE (mail_due_at IS NOT NULL);
CREATE INDEX notifications_unread ON public.notifications USING btree (school_id, user_id) WHERE (read_at IS NULL);
CREATE STATISTICS public.notifications_ids (dependencies) ON school_id, user_id FROM notifications;
-- notifications.facts: the values of its kind, which are said when it is read; null if title and body have the words
-- notifications.topic: what the member chose by; null from before it was kept
-- notifications.in_inbox: false if the member gets it by email only; it is read from the beginning
-- notifications.mail_due_at: when it is mailed; null once it waits in outgoing_mails, and for what is never mailed

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
  constraint order_items_pkey PRIMARY KEY (school_id, order_id, "position"),
  constraint order_items_school_id_course_id_fkey FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id),
  constraint order_items_school_id_digital_product_id_fkey FOREIGN KEY (school_id, digital_product_id) REFERENCES digital_products(school_id, id),
  constraint order_items_school_id_event_id_fkey FOREIGN KEY (school_id, event_id) REFERENCES events(school_id, id),
  constraint order_items_school_id_order_id_fkey FOREIGN KEY (school_id, order_id) REFERENCES orders(school_id, id) ON DELETE CASCADE,
  constraint order_items_school_id_plan_id_fkey FOREIGN KEY (school_id, plan_id) REFERENCES membership_plans(school_id, id),
  constraint order_items_one_thing CHECK ((num_nonnulls(course_id, digital_product_id, event_id, plan_id) <= 1)),
  constraint order_items_position_check CHECK (("position" >= 0)),
  constraint order_items_quantity_check CHECK ((quantity > 0)),
  constraint order_items_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  constraint order_items_unit_amount_check CHECK ((unit_amount >= 0))
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
  constraint orders_pkey PRIMARY KEY (school_id, id),
  constraint orders_school_id_id_user_id_key UNIQUE (school_id, id, user_id),
  constraint orders_school_id_number_key UNIQUE (school_id, number),
  constraint orders_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  constraint orders_completed_with_time CHECK (((state = 'completed'::text) = (completed_at IS NOT NULL))),
  constraint orders_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint orders_number_check CHECK (((length(number) >= 1) AND (length(number) <= 64))),
  constraint orders_state_check CHECK ((state = ANY (ARRAY['open'::text, 'completed'::text, 'canceled'::text]))),
  constraint orders_total_amount_check CHECK ((total_amount >= 0))
);
CREATE INDEX orders_by_amount ON public.orders USING btree (school_id, total_amount, id);
CREATE INDEX orders_by_number ON public.orders USING btree (school_id, number COLLATE "C", id);
CREATE INDEX orders_by_time ON public.orders USING btree (school_id, created_at, id);
CREATE INDEX orders_not_completed ON public.orders USING btree (school_id, state, created_at, id) WHERE (state <> 'completed'::text);
CREATE INDEX orders_of_person ON public.orders USING btree (school_id, user_id, created_at, id);
CREATE INDEX orders_search ON public.orders USING gin (lower("left"(number, 20000)) gin_trgm_ops) WITH (gin_pending_list_limit='64');
CREATE STATISTICS public.orders_ids (dependencies) ON school_id, user_id FROM orders;
CREATE TRIGGER orders_touch BEFORE UPDATE ON public.orders FOR EACH ROW EXECUTE FUNCTION touch_row();

-- people: requests for mail, as typed, until they are sent or dropped
create table outgoing_mails (
  id uuid not null,
  school_id uuid not null,
  kind text not null,
  email text not null,
  attempts integer not null default 0,
  next_try_at timestamp(3) with time zone not null default now(),
  created_at timestamp(3) with time zone not null default now(),
  facts jsonb not null default '{}'::jsonb,
  constraint outgoing_mails_pkey PRIMARY KEY (id),
  constraint outgoing_mails_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint outgoing_mails_email_check CHECK ((length(email) <= 320))
);
CREATE INDEX outgoing_mails_due ON public.outgoing_mails USING btree (next_try_at);
-- outgoing_mails.facts: what the mail says besides what the tables say when it is sent; never a secret

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
  constraint pages_pkey PRIMARY KEY (school_id, id),
  constraint pages_school_id_slug_key UNIQUE (school_id, slug),
  constraint pages_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint pages_body_check CHECK ((length(body) <= 200000)),
  constraint pages_published_has_time CHECK (((state <> 'published'::text) OR (published_at IS NOT NULL))),
  constraint pages_slug_check CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 120))),
  constraint pages_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'published'::text]))),
  constraint pages_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300)))
);
CREATE INDEX pages_by_time ON public.pages USING btree (school_id, created_at, id);
CREATE INDEX pages_in_sitemap ON public.pages USING btree (school_id, "right"((id)::text, 3) COLLATE "C", id) WHERE (state = 'published'::text);
CREATE INDEX pages_search ON public.pages USING gin (lower((("left"(title, 20000) || ' '::text) || "left"(body, 20000))) gin_trgm_ops, regexp_replace(lower((("left"(title, 20000) || ' '::text) || "left"(body, 20000))), '(\w)'::text, '\1\1\1'::text, 'g'::text) gin_trgm_ops, lower("left"(slug, 20000)) gin_trgm_ops) WITH (gin_pending_list_limit='64');
CREATE TRIGGER pages_changed_text AFTER UPDATE OF body ON public.pages FOR EACH ROW WHEN ((old.body IS DISTINCT FROM new.body)) EXECUTE FUNCTION forget_html();
CREATE TRIGGER pages_removed_text AFTER DELETE ON public.pages FOR EACH ROW EXECUTE FUNCTION forget_html();
CREATE TRIGGER pages_touch BEFORE UPDATE ON public.pages FOR EACH ROW EXECUTE FUNCTION touch_row();

-- people: how passkeys name a person at one school; random, so that schools cannot compare people
create table passkey_handles (
  school_id uuid not null,
  user_id uuid not null,
  handle bytea not null,
  last_challenge_at timestamp(3) with time zone not null,
  constraint passkey_handles_pkey PRIMARY KEY (school_id, user_id),
  constraint passkey_handles_school_id_handle_key UNIQUE (school_id, handle),
  constraint passkey_handles_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint passkey_handles_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint passkey_handles_handle_check CHECK ((length(handle) = 32))
);
CREATE INDEX passkey_handles_by_user ON public.passkey_handles USING btree (user_id);
-- passkey_handles.last_challenge_at: a passkey whose challenge is not newer was made before

-- people: passkeys of a person at one school's origin; only public keys are kept
create table passkeys (
  school_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  backup_eligible boolean not null,
  backed_up boolean not null,
  user_verified boolean not null,
  name text not null,
  created_at timestamp(3) with time zone not null default now(),
  last_used_at timestamp(3) with time zone,
  last_challenge_at timestamp(3) with time zone not null,
  cloned_at timestamp(3) with time zone,
  constraint passkeys_pkey PRIMARY KEY (school_id, id),
  constraint passkeys_school_id_credential_id_key UNIQUE (school_id, credential_id),
  constraint passkeys_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES passkey_handles(school_id, user_id),
  constraint passkeys_credential_id_check CHECK (((length(credential_id) >= 1) AND (length(credential_id) <= 1023))),
  constraint passkeys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint passkeys_public_key_check CHECK ((length(public_key) <= 4000)),
  constraint passkeys_transports_check CHECK ((cardinality(transports) <= 10))
) with (fillfactor=90);
CREATE INDEX passkeys_by_user ON public.passkeys USING btree (user_id, school_id);
-- passkeys.user_verified: whether the device asked for a fingerprint, face or PIN at the last use
-- passkeys.last_challenge_at: an answer to a challenge that is not newer was given before
-- passkeys.cloned_at: its counter went backwards, so there may be a copy; it can no longer be used to sign in

-- people: links for a forgotten password, each good once
create table password_resets (
  id uuid not null,
  secret_hash bytea not null,
  school_id uuid not null,
  user_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  constraint password_resets_pkey PRIMARY KEY (id),
  constraint password_resets_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint password_resets_secret_hash_check CHECK ((length(secret_hash) = 32))
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
  constraint payment_adjustments_pkey PRIMARY KEY (school_id, payment_id, "position"),
  constraint payment_adjustments_school_id_payment_id_fkey FOREIGN KEY (school_id, payment_id) REFERENCES payments(school_id, id) ON DELETE CASCADE,
  constraint payment_adjustments_amount_check CHECK ((amount <= 0)),
  constraint payment_adjustments_kind_check CHECK ((kind = ANY (ARRAY['coupon'::text, 'promotion'::text]))),
  constraint payment_adjustments_label_check CHECK (((length(label) >= 1) AND (length(label) <= 200))),
  constraint payment_adjustments_position_check CHECK (("position" >= 0))
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
  constraint payment_lines_pkey PRIMARY KEY (school_id, payment_id, "position"),
  constraint payment_lines_school_id_payment_id_fkey FOREIGN KEY (school_id, payment_id) REFERENCES payments(school_id, id) ON DELETE CASCADE,
  constraint payment_lines_position_check CHECK (("position" >= 0)),
  constraint payment_lines_quantity_check CHECK ((quantity > 0)),
  constraint payment_lines_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300)))
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
  constraint payments_pkey PRIMARY KEY (school_id, id),
  constraint payments_school_id_trade_no_key UNIQUE (school_id, trade_no),
  constraint payments_school_id_order_id_user_id_fkey FOREIGN KEY (school_id, order_id, user_id) REFERENCES orders(school_id, id, user_id),
  constraint payments_amount_check CHECK ((amount >= 0)),
  constraint payments_bank_code_check CHECK ((length(bank_code) <= 20)),
  constraint payments_bank_name_check CHECK ((length(bank_name) <= 100)),
  constraint payments_code_no_check CHECK ((length(code_no) <= 64)),
  constraint payments_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint payments_installment_amount_check CHECK ((installment_amount > 0)),
  constraint payments_installment_count_check CHECK (((installment_count >= 2) AND (installment_count <= 60))),
  constraint payments_installments_whole CHECK (((installment_count IS NULL) = (installment_amount IS NULL))),
  constraint payments_instructions_by_type CHECK (((payment_type = ANY (ARRAY['atm'::text, 'convenience_store'::text])) OR (num_nonnulls(bank_code, bank_name, code_no) = 0))),
  constraint payments_paid_with_time CHECK (((state = ANY (ARRAY['paid'::text, 'refunded'::text])) = (paid_at IS NOT NULL))),
  constraint payments_payment_type_check CHECK ((payment_type = ANY (ARRAY['credit_card'::text, 'atm'::text, 'convenience_store'::text, 'free'::text]))),
  constraint payments_refund_request_with_time CHECK (((refunding_state = 'none'::text) = (refund_requested_at IS NULL))),
  constraint payments_refund_with_time CHECK (((refunding_state = ANY (ARRAY['partially_refunded'::text, 'refunded'::text])) = (refunded_at IS NOT NULL))),
  constraint payments_refund_within_amount CHECK ((refunded_amount <= amount)),
  constraint payments_refunded_amount_check CHECK ((refunded_amount >= 0)),
  constraint payments_refunded_in_both_states CHECK (((state = 'refunded'::text) = (refunding_state = 'refunded'::text))),
  constraint payments_refunding_state_check CHECK ((refunding_state = ANY (ARRAY['none'::text, 'requested'::text, 'partially_refunded'::text, 'refunded'::text, 'rejected'::text]))),
  constraint payments_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'paid'::text, 'failed'::text, 'refunded'::text]))),
  constraint payments_trade_no_check CHECK (((length(trade_no) >= 1) AND (length(trade_no) <= 64)))
);
CREATE INDEX payments_by_amount ON public.payments USING btree (school_id, amount, id);
CREATE INDEX payments_by_order ON public.payments USING btree (school_id, order_id);
CREATE INDEX payments_by_paid ON public.payments USING btree (school_id, paid_at) WHERE (paid_at IS NOT NULL);
CREATE INDEX payments_by_refund ON public.payments USING btree (school_id, refunded_at) WHERE (refunded_at IS NOT NULL);
CREATE INDEX payments_by_time ON public.payments USING btree (school_id, created_at, id);
CREATE INDEX payments_due ON public.payments USING btree (school_id, expires_at) WHERE (state = 'pending'::text);
CREATE INDEX payments_not_paid ON public.payments USING btree (school_id, state, created_at, id) WHERE (state <> 'paid'::text);
CREATE INDEX payments_of_person ON public.payments USING btree (school_id, user_id, created_at, id);
CREATE INDEX payments_refunding ON public.payments USING btree (school_id, refunding_state, created_at, id) WHERE (refunding_state <> 'none'::text);
CREATE INDEX payments_search ON public.payments USING gin (lower("left"(trade_no, 20000)) gin_trgm_ops) WITH (gin_pending_list_limit='64');
CREATE STATISTICS public.payments_ids (dependencies) ON school_id, order_id FROM payments;
CREATE TRIGGER payments_marked_from AFTER UPDATE ON public.payments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_payments();
CREATE TRIGGER payments_marked_gone AFTER DELETE ON public.payments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_payments();
CREATE TRIGGER payments_marked_new AFTER INSERT ON public.payments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_payments();
CREATE TRIGGER payments_marked_to AFTER UPDATE ON public.payments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_payments();
CREATE TRIGGER payments_touch BEFORE UPDATE ON public.payments FOR EACH ROW EXECUTE FUNCTION touch_row();
-- payments.payment_type: null while no method was chosen
-- payments.state: a pending payment past expires_at reads as expired; no job writes that

-- people: pictures that people chose; the file store has their bytes
create table person_pictures (
  id uuid not null,
  user_id uuid not null,
  content_type text not null,
  size_bytes integer not null,
  storage_key text not null,
  created_at timestamp(3) with time zone not null default now(),
  unused_since timestamp(3) with time zone default now(),
  constraint person_pictures_pkey PRIMARY KEY (id),
  constraint person_pictures_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint person_pictures_content_type_check CHECK ((content_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text]))),
  constraint person_pictures_size_bytes_check CHECK ((size_bytes > 0))
);
CREATE INDEX person_pictures_by_user ON public.person_pictures USING btree (user_id);
CREATE INDEX person_pictures_unused ON public.person_pictures USING btree (unused_since) WHERE (unused_since IS NOT NULL);
-- person_pictures.unused_since: null while it is the picture of the person; others are removed after a while, with their bytes

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
  constraint posts_pkey PRIMARY KEY (school_id, id),
  constraint posts_school_id_slug_key UNIQUE (school_id, slug),
  constraint posts_school_id_author_id_fkey FOREIGN KEY (school_id, author_id) REFERENCES school_members(school_id, user_id),
  constraint posts_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint posts_body_check CHECK ((length(body) <= 200000)),
  constraint posts_published_has_time CHECK (((state <> 'published'::text) OR (published_at IS NOT NULL))),
  constraint posts_slug_check CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 120))),
  constraint posts_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'published'::text]))),
  constraint posts_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300)))
);
CREATE INDEX posts_by_state ON public.posts USING btree (school_id, state, created_at, id);
CREATE INDEX posts_by_time ON public.posts USING btree (school_id, created_at, id);
CREATE INDEX posts_by_title ON public.posts USING btree (school_id, title COLLATE "C", id);
CREATE INDEX posts_by_update ON public.posts USING btree (school_id, updated_at, id);
CREATE INDEX posts_in_sitemap ON public.posts USING btree (school_id, "right"((id)::text, 3) COLLATE "C", id) WHERE (state = 'published'::text);
CREATE INDEX posts_published ON public.posts USING btree (school_id, published_at, id) WHERE (state = 'published'::text);
CREATE INDEX posts_search ON public.posts USING gin (lower((("left"(title, 20000) || ' '::text) || "left"(body, 20000))) gin_trgm_ops, regexp_replace(lower((("left"(title, 20000) || ' '::text) || "left"(body, 20000))), '(\w)'::text, '\1\1\1'::text, 'g'::text) gin_trgm_ops, lower("left"(slug, 20000)) gin_trgm_ops) WITH (gin_pending_list_limit='64');
CREATE TRIGGER posts_changed_text AFTER UPDATE OF body ON public.posts FOR EACH ROW WHEN ((old.body IS DISTINCT FROM new.body)) EXECUTE FUNCTION forget_html();
CREATE TRIGGER posts_removed_text AFTER DELETE ON public.posts FOR EACH ROW EXECUTE FUNCTION forget_html();
CREATE TRIGGER posts_touch BEFORE UPDATE ON public.posts FOR EACH ROW EXECUTE FUNCTION touch_row();

-- grants: how far each sweep of the purge has come
create table purge_positions (
  name text not null,
  position text not null,
  kept_at timestamp(3) with time zone not null default now(),
  constraint purge_positions_pkey PRIMARY KEY (name)
);

-- people: keyed hashes of the codes that work once in place of the authenticator app; a used one is deleted
create table recovery_codes (
  user_id uuid not null,
  hash bytea not null,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, hash),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES authenticators(user_id) ON DELETE CASCADE,
  constraint recovery_codes_hash_check CHECK ((length(hash) = 32))
);

-- notifications: up to which moment the members of a school were reminded of what comes
create table reminders (
  school_id uuid not null,
  until timestamp(3) with time zone not null default now(),
  constraint reminders_pkey PRIMARY KEY (school_id),
  constraint reminders_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id)
);

-- content: the HTML of a Markdown text that visitors read, by the version of the renderer that made it
create table rendered_texts (
  school_id uuid not null,
  object_id uuid not null,
  renderer integer not null,
  html text not null,
  constraint rendered_texts_pkey PRIMARY KEY (school_id, object_id),
  constraint rendered_texts_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id)
);

-- schools: schools that are being resumed: what was to expire is moved behind the pause, which ends at until; clock and position say how far that has come
create table resumptions (
  school_id uuid not null,
  until timestamp(3) with time zone not null default now(),
  clock text not null,
  position text,
  constraint resumptions_pkey PRIMARY KEY (school_id),
  constraint resumptions_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id)
);

-- analytics: payments and refunds of a day in the time zone of the school
create table revenue_days (
  school_id uuid not null,
  day date not null,
  currency text not null,
  paid_amount bigint not null,
  refunded_amount bigint not null,
  payment_count bigint not null,
  constraint revenue_days_pkey PRIMARY KEY (school_id, day, currency),
  constraint revenue_days_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id) ON DELETE CASCADE
);

-- 
create table schema_migrations (
  number integer not null,
  name text not null,
  digest text not null,
  applied_at timestamp(3) with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (number)
);

-- analytics: totals of a school; without a row or filled_at, its figures are not counted yet
create table school_figures (
  school_id uuid not null,
  filled_at timestamp(3) with time zone,
  filled_with timestamp(3) with time zone,
  student_count bigint not null default 0,
  active_subscription_count bigint not null default 0,
  connected_person_count bigint,
  connected_counted_at timestamp(3) with time zone,
  constraint school_figures_pkey PRIMARY KEY (school_id),
  constraint school_figures_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id) ON DELETE CASCADE
);
-- school_figures.filled_with: when everything was marked for the first count; it is complete when no mark of that time or before is left
-- school_figures.connected_person_count: null before it was counted; tokens leave no marks, so it is counted again when it is old

-- people: the roles of a person at a school; a row without roles has left
create table school_members (
  school_id uuid not null,
  user_id uuid not null,
  roles text[] not null,
  joined_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  codes_withdrawn_at timestamp(3) with time zone,
  signed_in_at timestamp(3) with time zone,
  typed_name text,
  forgotten_at timestamp(3) with time zone,
  invited_at timestamp(3) with time zone,
  invitation_opened_at timestamp(3) with time zone,
  invitation_due boolean not null default false,
  typed_email text,
  constraint school_members_pkey PRIMARY KEY (school_id, user_id),
  constraint school_members_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint school_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint school_members_roles_check CHECK (((roles <@ ARRAY['owner'::text, 'admin'::text, 'lecturer'::text, 'student'::text]) AND (cardinality(roles) <= 4) AND (array_position(roles, NULL::text) IS NULL))),
  constraint school_members_typed_name_check CHECK (((length(typed_name) >= 1) AND (length(typed_name) <= 200)))
);
CREATE INDEX school_members_by_time ON public.school_members USING btree (school_id, joined_at, user_id);
CREATE INDEX school_members_by_user ON public.school_members USING btree (user_id);
CREATE INDEX school_members_search ON public.school_members USING gin (lower("left"(typed_name, 20000)) gin_trgm_ops, regexp_replace(lower("left"(typed_name, 20000)), '(\w)'::text, '\1\1\1'::text, 'g'::text) gin_trgm_ops) WITH (gin_pending_list_limit='64') WHERE (signed_in_at IS NULL);
CREATE INDEX school_members_staff ON public.school_members USING btree (school_id, user_id) WHERE (roles && ARRAY['owner'::text, 'admin'::text, 'lecturer'::text]);
CREATE INDEX school_members_staff_by_time ON public.school_members USING btree (school_id, joined_at, user_id) WHERE (roles && ARRAY['owner'::text, 'admin'::text, 'lecturer'::text]);
CREATE INDEX school_members_to_invite ON public.school_members USING btree (school_id, user_id) WHERE invitation_due;
CREATE INDEX school_members_typed_email ON public.school_members USING btree (school_id, lower(typed_email)) WHERE (typed_email IS NOT NULL);
CREATE TRIGGER school_members_marked AFTER UPDATE ON public.school_members FOR EACH ROW WHEN ((old.roles <> new.roles)) EXECUTE FUNCTION mark_total_of_row('students');
CREATE TRIGGER school_members_marked_gone AFTER DELETE ON public.school_members REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_total('students');
CREATE TRIGGER school_members_marked_new AFTER INSERT ON public.school_members REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_total('students');
CREATE TRIGGER school_members_remember BEFORE UPDATE ON public.school_members FOR EACH ROW WHEN (((old.forgotten_at IS NOT NULL) AND (new.roles <> '{}'::text[]))) EXECUTE FUNCTION remember_member();
CREATE TRIGGER school_members_touch BEFORE UPDATE OF roles, joined_at ON public.school_members FOR EACH ROW EXECUTE FUNCTION touch_row();
-- school_members.codes_withdrawn_at: when codes of the person were last deleted; a consent that began before gives no code
-- school_members.signed_in_at: when the person first signed in at this school; until then it knows them only by email
-- school_members.typed_name: the name with which the school added the person; shown until they sign in
-- school_members.forgotten_at: since when the school knows neither name nor email of this person, who asked for it; null again with the next role
-- school_members.invited_at: when the school last asked for a mail that invites the person; whether one was sent is not told
-- school_members.invitation_opened_at: when the link of an invitation was first opened
-- school_members.invitation_due: whether the job that invites imported people has this one before it
-- school_members.typed_email: the address of the person before it was changed; shown until they sign in at this school

-- schools: what processes counted for a school in five minutes, kept for a day: CPU of Node, bytes of its connections
create table school_usage (
  school_id uuid not null,
  begins_at timestamp(3) with time zone not null,
  requests bigint not null,
  statements bigint not null,
  cpu_micros bigint not null,
  bytes bigint not null,
  constraint school_usage_pkey PRIMARY KEY (school_id, begins_at),
  constraint school_usage_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id)
);
CREATE INDEX school_usage_by_time ON public.school_usage USING btree (begins_at);

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
  deleted_at timestamp(3) with time zone,
  operator_factor_from timestamp(3) with time zone,
  sign_up boolean not null default false,
  invites_people boolean not null default false,
  video_hosts text[] not null default '{}'::text[],
  import_columns jsonb not null default '{}'::jsonb,
  suspended_at timestamp(3) with time zone,
  quiet_causes text[] not null default '{}'::text[],
  constraint schools_pkey PRIMARY KEY (id),
  constraint schools_origin_key UNIQUE (origin),
  constraint schools_subdomain_key UNIQUE (subdomain),
  constraint schools_contact_email_check CHECK ((length(contact_email) <= 320)),
  constraint schools_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint schools_description_check CHECK ((length(description) <= 5000)),
  constraint schools_locale_check CHECK ((locale ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'::text)),
  constraint schools_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint schools_origin_check CHECK (((origin ~ '^https?://[^/?#@\s]+$'::text) AND (origin = lower(origin)))),
  constraint schools_subdomain_check CHECK ((subdomain ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text)),
  constraint schools_time_zone_check CHECK (((length(time_zone) >= 1) AND (length(time_zone) <= 64))),
  constraint schools_variant_check CHECK ((variant = ANY (ARRAY['newer'::text, 'older'::text])))
);
CREATE TRIGGER schools_announce AFTER INSERT OR DELETE OR UPDATE ON public.schools FOR EACH ROW EXECUTE FUNCTION announce_school();
CREATE TRIGGER schools_begin_figures AFTER INSERT ON public.schools FOR EACH ROW EXECUTE FUNCTION begin_figures();
CREATE TRIGGER schools_forget_figures AFTER UPDATE OF time_zone ON public.schools FOR EACH ROW WHEN ((new.time_zone <> old.time_zone)) EXECUTE FUNCTION forget_figures();
CREATE TRIGGER schools_move_tools AFTER UPDATE OF origin ON public.schools FOR EACH ROW WHEN ((new.origin <> old.origin)) EXECUTE FUNCTION move_tools();
CREATE TRIGGER schools_touch BEFORE UPDATE ON public.schools FOR EACH ROW EXECUTE FUNCTION touch_row();
-- schools.mcp_connections: the beta feature that reveals the OAuth applications area to operators
-- schools.open_registration: client metadata documents from any host resolve
-- schools.document_hosts: hosts whose client metadata documents resolve at this school
-- schools.deleted_at: since when nothing answers at its origin; the row goes when its last row has gone
-- schools.operator_factor_from: from then on owners and admins need a passkey or a second factor; null if the school does not demand it
-- schools.sign_up: whether people may sign up as students on the pages of the school
-- schools.invites_people: whether people whom the school adds get a mail that invites them
-- schools.video_hosts: hosts from which lectures play videos on the page
-- schools.import_columns: by the kind of rows: the column of each heading, as chosen for the last file
-- schools.suspended_at: since when the school is suspended: its requests are answered with 503, and nothing of it expires
-- schools.quiet_causes: kinds of notifications that the school switched off

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
  constraint sections_pkey PRIMARY KEY (school_id, id),
  constraint sections_school_id_course_id_id_key UNIQUE (school_id, course_id, id),
  constraint sections_school_id_course_id_position_key UNIQUE (school_id, course_id, "position") DEFERRABLE INITIALLY DEFERRED,
  constraint sections_school_id_course_id_fkey FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id) ON DELETE CASCADE,
  constraint sections_position_check CHECK (("position" >= 0)),
  constraint sections_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300)))
);
CREATE STATISTICS public.sections_ids (dependencies) ON school_id, course_id FROM sections;
CREATE TRIGGER sections_outline_added AFTER INSERT ON public.sections REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER sections_outline_moved_from AFTER UPDATE ON public.sections REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER sections_outline_moved_to AFTER UPDATE ON public.sections REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER sections_outline_removed AFTER DELETE ON public.sections REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_outline_change();
CREATE TRIGGER sections_touch BEFORE UPDATE ON public.sections FOR EACH ROW EXECUTE FUNCTION touch_row();

-- setup: the one code that makes the first school; here and not in memory, because several processes serve its page
create table setup_codes (
  single boolean not null default true,
  code_hash bytea not null,
  made_at timestamp(3) with time zone not null default now(),
  tries integer not null default 0,
  constraint setup_codes_pkey PRIMARY KEY (single),
  constraint setup_codes_single_check CHECK (single),
  constraint setup_codes_tries_check CHECK ((tries >= 0))
);

-- people: failed sign-ins per account and per address; the bucket is a keyed hash
create table sign_in_throttles (
  bucket bytea not null,
  failures integer not null,
  window_ends_at timestamp(3) with time zone not null,
  constraint sign_in_throttles_pkey PRIMARY KEY (bucket),
  constraint sign_in_throttles_bucket_check CHECK ((length(bucket) = 32)),
  constraint sign_in_throttles_failures_check CHECK ((failures >= 0))
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
  constraint signing_keys_pkey PRIMARY KEY (school_id, kid),
  constraint signing_keys_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint signing_keys_active_times CHECK (((stage = 'active'::text) = ((activated_at IS NOT NULL) AND (retired_at IS NULL)))),
  constraint signing_keys_kid_check CHECK (((length(kid) >= 8) AND (length(kid) <= 64))),
  constraint signing_keys_published_or_retired_times CHECK ((((stage = 'published'::text) = ((activated_at IS NULL) AND (retired_at IS NULL))) OR ((stage = 'retired'::text) AND (retired_at IS NOT NULL)))),
  constraint signing_keys_stage_check CHECK ((stage = ANY (ARRAY['published'::text, 'active'::text, 'retired'::text])))
);
CREATE UNIQUE INDEX signing_keys_one_active ON public.signing_keys USING btree (school_id) WHERE (stage = 'active'::text);
CREATE TRIGGER signing_keys_announce AFTER INSERT OR DELETE OR UPDATE ON public.signing_keys FOR EACH ROW EXECUTE FUNCTION announce_school();

-- consulting: the roster, which is the attendee list of the group's classes
create table study_group_members (
  school_id uuid not null,
  group_id uuid not null,
  user_id uuid not null,
  joined_at timestamp(3) with time zone not null default now(),
  constraint study_group_members_pkey PRIMARY KEY (school_id, group_id, user_id),
  constraint study_group_members_school_id_group_id_fkey FOREIGN KEY (school_id, group_id) REFERENCES study_groups(school_id, id) ON DELETE CASCADE,
  constraint study_group_members_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id)
);
CREATE INDEX study_group_members_by_time ON public.study_group_members USING btree (school_id, group_id, joined_at, user_id);
CREATE INDEX study_group_members_by_user ON public.study_group_members USING btree (school_id, user_id);
CREATE TRIGGER roster_added AFTER INSERT ON public.study_group_members REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_roster();
CREATE TRIGGER roster_removed AFTER DELETE ON public.study_group_members REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_roster();

-- consulting: members who meet as a class
create table study_groups (
  school_id uuid not null,
  id uuid not null,
  name text not null,
  course_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  member_count integer not null default 0,
  constraint study_groups_pkey PRIMARY KEY (school_id, id),
  constraint study_groups_school_id_course_id_fkey FOREIGN KEY (school_id, course_id) REFERENCES courses(school_id, id),
  constraint study_groups_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint study_groups_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);
CREATE INDEX study_groups_by_time ON public.study_groups USING btree (school_id, created_at, id);
CREATE TRIGGER study_groups_touch BEFORE UPDATE ON public.study_groups FOR EACH ROW WHEN ((old.member_count = new.member_count)) EXECUTE FUNCTION touch_row();
-- study_groups.member_count: the length of its roster, kept by triggers

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
  constraint subscriptions_pkey PRIMARY KEY (school_id, id),
  constraint subscriptions_school_id_plan_id_fkey FOREIGN KEY (school_id, plan_id) REFERENCES membership_plans(school_id, id),
  constraint subscriptions_school_id_user_id_fkey FOREIGN KEY (school_id, user_id) REFERENCES school_members(school_id, user_id),
  constraint subscriptions_canceled_has_time CHECK (((state <> 'canceled'::text) OR (canceled_at IS NOT NULL))),
  constraint subscriptions_period_end_after_start CHECK ((current_period_ends_at > current_period_starts_at)),
  constraint subscriptions_state_check CHECK ((state = ANY (ARRAY['active'::text, 'past_due'::text, 'canceled'::text])))
);
CREATE INDEX subscriptions_by_period ON public.subscriptions USING btree (school_id, current_period_ends_at, id);
CREATE INDEX subscriptions_by_state ON public.subscriptions USING btree (school_id, state, created_at, id);
CREATE INDEX subscriptions_by_time ON public.subscriptions USING btree (school_id, created_at, id);
CREATE INDEX subscriptions_ending ON public.subscriptions USING btree (school_id, created_at, id) WHERE cancel_at_period_end;
CREATE INDEX subscriptions_of_person ON public.subscriptions USING btree (school_id, user_id, created_at, id);
CREATE INDEX subscriptions_of_plan ON public.subscriptions USING btree (school_id, plan_id, created_at, id);
CREATE INDEX subscriptions_of_plan_by_period ON public.subscriptions USING btree (school_id, plan_id, current_period_ends_at, id);
CREATE UNIQUE INDEX subscriptions_one_alive ON public.subscriptions USING btree (school_id, user_id, plan_id) WHERE (state <> 'canceled'::text);
CREATE STATISTICS public.subscriptions_ids (dependencies) ON school_id, plan_id, user_id FROM subscriptions;
CREATE TRIGGER subscriptions_counted AFTER UPDATE ON public.subscriptions REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION count_at_parent('membership_plans', 'active_subscription_count', 'plan_id', 'state <> ''canceled''');
CREATE TRIGGER subscriptions_counted_gone AFTER DELETE ON public.subscriptions REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION count_at_parent('membership_plans', 'active_subscription_count', 'plan_id', 'state <> ''canceled''');
CREATE TRIGGER subscriptions_counted_new AFTER INSERT ON public.subscriptions REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION count_at_parent('membership_plans', 'active_subscription_count', 'plan_id', 'state <> ''canceled''');
CREATE TRIGGER subscriptions_marked AFTER UPDATE ON public.subscriptions FOR EACH ROW WHEN ((old.state <> new.state)) EXECUTE FUNCTION mark_total_of_row('subscriptions');
CREATE TRIGGER subscriptions_marked_gone AFTER DELETE ON public.subscriptions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_total('subscriptions');
CREATE TRIGGER subscriptions_marked_new AFTER INSERT ON public.subscriptions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_total('subscriptions');
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
  constraint token_pairs_pkey PRIMARY KEY (id),
  constraint token_pairs_authorization_id_fkey FOREIGN KEY (authorization_id) REFERENCES authorizations(id) ON DELETE CASCADE,
  constraint token_pairs_access_hash_check CHECK ((length(access_hash) = 32)),
  constraint token_pairs_refresh_hash_check CHECK ((length(refresh_hash) = 32))
) with (fillfactor=90);
CREATE INDEX token_pairs_by_authorization ON public.token_pairs USING btree (authorization_id);
-- token_pairs.bound_school_id: what the token response calls school_id; null on operator pairs and on member pairs older than the binding
-- token_pairs.previous_id: the pair this one was refreshed from; no foreign key, since a purged parent has nothing left to retire

-- people: browsers in which a password sign-in at one school does not ask for a code, for 30 days
create table trusted_devices (
  id uuid not null,
  secret_hash bytea not null,
  school_id uuid not null,
  user_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  constraint trusted_devices_pkey PRIMARY KEY (id),
  constraint trusted_devices_school_id_fkey FOREIGN KEY (school_id) REFERENCES schools(id),
  constraint trusted_devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint trusted_devices_secret_hash_check CHECK ((length(secret_hash) = 32))
);
CREATE INDEX trusted_devices_by_expiry ON public.trusted_devices USING btree (expires_at);
CREATE INDEX trusted_devices_by_user ON public.trusted_devices USING btree (user_id);

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
  constraint users_pkey PRIMARY KEY (id),
  constraint users_avatar_url_check CHECK ((length(avatar_url) <= 2000)),
  constraint users_deleted_without_password CHECK (((deleted_at IS NULL) OR (password_hash IS NULL))),
  constraint users_email_check CHECK ((((length(email) >= 3) AND (length(email) <= 320)) AND (email ~~ '%_@_%'::text))),
  constraint users_email_until_deleted CHECK (((email IS NULL) = (deleted_at IS NOT NULL))),
  constraint users_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);
CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));
CREATE INDEX users_search ON public.users USING gin (lower("left"(name, 20000)) gin_trgm_ops, regexp_replace(lower("left"(name, 20000)), '(\w)'::text, '\1\1\1'::text, 'g'::text) gin_trgm_ops, lower("left"(email, 20000)) gin_trgm_ops) WITH (gin_pending_list_limit='64');
CREATE TRIGGER users_touch BEFORE UPDATE ON public.users FOR EACH ROW EXECUTE FUNCTION touch_row();
-- users.deleted_at: the person is gone; the row stays so that money rows keep their owner

-- clients: known integrations of this installation, matched by their exact name
create table vendor_platforms (
  client_id text not null,
  client_name text not null,
  redirect_uris text[] not null,
  created_at timestamp(3) with time zone not null default now(),
  shipped_version integer,
  disabled_at timestamp(3) with time zone,
  constraint vendor_platforms_pkey PRIMARY KEY (client_id),
  constraint vendor_platforms_client_name_key UNIQUE (client_name),
  constraint vendor_platforms_client_id_check CHECK (((length(client_id) >= 1) AND (length(client_id) <= 200))),
  constraint vendor_platforms_client_name_check CHECK (((length(client_name) >= 1) AND (length(client_name) <= 200))),
  constraint vendor_platforms_redirect_uris_check CHECK (((cardinality(redirect_uris) >= 1) AND (cardinality(redirect_uris) <= 50))),
  constraint vendor_platforms_shipped_version_check CHECK ((shipped_version >= 1))
);
-- vendor_platforms.shipped_version: version of the shipped list that the row follows; null once the administrator added or changed it
-- vendor_platforms.disabled_at: no school accepts the platform; clients.platform_disabled_at has the same for the rows of schools
