// Row types of the migrated database. `npm run schema` rewrites this file; a test compares it.

import type { ColumnType, Generated } from 'kysely'

/** grants: what an authorization was used for on a day of the last 30, counted once a minute */
export interface AppActivityTable {
  school_id: string
  authorization_id: string
  kind: string
  day: string
  reads: number
  changes: number
  last_read_at: Date | null
  last_changed_at: Date | null
}

/** grants: the sums of app_activity by app, written with it */
export interface AppActivitySumsTable {
  school_id: string
  client_id: string
  kind: string
  day: string
  reads: number
  changes: number
  last_read_at: Date | null
  last_changed_at: Date | null
}

/** schools: what the pages of a school look like */
export interface AppearancesTable {
  school_id: string
  primary_color: Generated<string>
  accent_color: Generated<string>
  logo_file_id: string | null
  tagline: Generated<string>
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
}

/** audit: append-only; no foreign key to what it names, so that it outlives it */
export interface AuditEntriesTable {
  id: string
  school_id: string | null
  at: Generated<Date>
  action: string
  outcome: string
  actor_user_id: string | null
  client_id: string | null
  authorization_id: string | null
  subject: string | null
  detail: ColumnType<unknown, string | undefined, string>
  request_id: string | null
}

/** people: the authenticator app of a person, confirmed by a code; password sign-ins ask for one while the row stands */
export interface AuthenticatorsTable {
  user_id: string
  sealed_secret: Buffer
  last_step: number
  created_at: Generated<Date>
}

/** grants: a consent on its way to the client; single use is one conditional update */
export interface AuthorizationCodesTable {
  id: string
  hash: Buffer
  school_id: string
  client_id: string
  user_id: string
  audience: 'member' | 'operator'
  scopes: string[]
  resource: string | null
  redirect_uri: string
  code_challenge: string
  nonce: string | null
  authenticated_at: Date
  device: Generated<string>
  created_at: Generated<Date>
  expires_at: Date
  consumed_at: Date | null
  pair_id: string | null
  acr: string | null
  amr: string[] | null
}

/** grants: one completed authorization; ending it ends every pair at once */
export interface AuthorizationsTable {
  id: string
  school_id: string
  client_id: string
  user_id: string | null
  audience: 'member' | 'operator'
  scopes: string[]
  resource: string | null
  code_id: string | null
  device: Generated<string>
  created_at: Generated<Date>
  last_used_at: Date | null
  revoked_at: Date | null
  access_round: Generated<number>
}

/** people: a signed-in browser at one school's origin; only the hash of its secret is kept */
export interface BrowserSessionsTable {
  id: string
  secret_hash: Buffer
  school_id: string
  user_id: string
  device: Generated<string>
  authenticated_at: Generated<Date>
  created_at: Generated<Date>
  last_seen_at: Generated<Date>
  expires_at: Date
  methods: Generated<string[]>
  factor_since: Date | null
}

/** people: the private address from which the calendar of a member reads their bookings; only a hash of its secret */
export interface CalendarFeedsTable {
  school_id: string
  id: string
  user_id: string
  secret_hash: Buffer
  created_at: Generated<Date>
}

/** clients: the last good copy of each fetched client metadata document */
export interface ClientDocumentsTable {
  url: string
  document: ColumnType<unknown, string | null | undefined, string | null>
  failure: string | null
  fetched_at: Generated<Date>
  expires_at: Date
}

/** clients: the picture that a school gave one of its applications */
export interface ClientLogosTable {
  school_id: string
  client_id: string
  id: string
  content_type: 'image/png' | 'image/jpeg' | 'image/webp'
  bytes: Buffer
  created_at: Generated<Date>
}

/** clients: keyed by school, so that review, disabling and foreign keys are the school's own */
export interface ClientsTable {
  school_id: string
  client_id: string
  kind: 'application' | 'vendor' | 'document' | 'tool'
  audience: 'member' | 'operator'
  name: string
  confidential: Generated<boolean>
  secret_hash: Buffer | null
  secret_rotated_at: Date | null
  redirect_uris: string[]
  scopes: string[]
  created_by: string | null
  reviewed_by: string | null
  reviewed_at: Date | null
  disabled_at: Date | null
  deleted_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
  platform_disabled_at: Date | null
  slug: string | null
  old_secret_hash: Buffer | null
  old_secret_expires_at: Date | null
  post_logout_redirect_uris: Generated<string[]>
  codes_withdrawn_at: Date | null
  access_round: Generated<number>
  assistant: string | null
  website_url: string | null
  privacy_url: string | null
}

/** learning: what members say under a lecture */
export interface CommentsTable {
  school_id: string
  id: string
  lecture_id: string
  user_id: string
  parent_id: string | null
  body: string
  hidden_at: Date | null
  created_at: Generated<Date>
}

/** consulting: a slot of a service on a day, or a class of a study group */
export interface ConsultingMeetingsTable {
  school_id: string
  id: string
  service_id: string | null
  study_group_id: string | null
  title: string
  state: Generated<'available' | 'scheduled' | 'canceled'>
  starts_at: Date
  ends_at: Date
  room_url: Generated<string>
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
}

/** consulting: whose students are offered a service */
export interface ConsultingServiceCoursesTable {
  school_id: string
  service_id: string
  course_id: string
}

/** consulting: time that a lecturer offers for meetings */
export interface ConsultingServicesTable {
  school_id: string
  id: string
  title: string
  description: Generated<string>
  host_id: string | null
  state: Generated<'offered' | 'paused'>
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
  changes_until_hours: number | null
}

/** consulting: recurring availability; weekday 1 is Monday (ISO 8601) */
export interface ConsultingSlotsTable {
  school_id: string
  id: string
  service_id: string
  weekday: number
  starts_at: string
  duration_minutes: number
  time_zone: string
  capacity: Generated<number>
}

/** commerce: a coupon used on a purchase; its count is counted here */
export interface CouponRedemptionsTable {
  school_id: string
  id: string
  coupon_id: string
  order_id: string
  user_id: string
  redeemed_at: Generated<Date>
}

/** commerce: a discount code with its limits and its window */
export interface CouponsTable {
  school_id: string
  id: string
  code: string
  percent_off: number | null
  amount_off: number | null
  currency: string | null
  max_redemptions: number | null
  max_per_member: number | null
  starts_at: Date | null
  ends_at: Date | null
  archived_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
  used_up: Generated<boolean>
  redemption_count: Generated<number>
}

/** analytics: how far the students of a course are */
export interface CourseFiguresTable {
  school_id: string
  course_id: string
  lecture_count: number
  student_count: number
  completed_count: number
  lectures_done: number
}

/** learning: who teaches a course */
export interface CourseLecturersTable {
  school_id: string
  course_id: string
  user_id: string
  position: Generated<number>
}

/** learning: a course; outline_version counts changes of its sections and lectures */
export interface CoursesTable {
  school_id: string
  id: string
  slug: string
  title: string
  summary: Generated<string>
  description: Generated<string>
  state: Generated<'draft' | 'published' | 'archived'>
  price_amount: Generated<number>
  currency: string
  cover_file_id: string | null
  published_at: Date | null
  archived_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
  outline_version: Generated<number>
  comments_allowed: Generated<boolean>
}

/** people: people who asked to be deleted, until it is done or they changed their mind */
export interface DeletionRequestsTable {
  id: string
  user_id: string
  school_id: string | null
  requested_at: Generated<Date>
  due_at: Date
  blocked_at: Date | null
}

/** commerce: a member may download a product */
export interface DigitalProductAccessesTable {
  school_id: string
  id: string
  product_id: string
  user_id: string
  granted_at: Generated<Date>
  revoked_at: Date | null
}

/** commerce: something to download */
export interface DigitalProductsTable {
  school_id: string
  id: string
  slug: string
  title: string
  description: Generated<string>
  state: Generated<'draft' | 'published' | 'archived'>
  price_amount: Generated<number>
  currency: string
  file_id: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
  owner_count: Generated<number>
}

/** people: new email addresses that people asked for, until the change can no longer be undone */
export interface EmailChangesTable {
  id: string
  school_id: string
  user_id: string
  old_email: string
  new_email: string
  created_at: Generated<Date>
  old_confirmed_at: Date | null
  new_confirmed_at: Date | null
  changed_at: Date | null
  ended_at: Date | null
  asked_school_id: string | null
  session_id: string | null
  factor_since: Date | null
}

/** analytics: enrollments that began on a day in the time zone of the school */
export interface EnrollmentDaysTable {
  school_id: string
  day: string
  source: string
  enrollment_count: number
}

/** learning: a member's access to a course; no expiry means for life */
export interface EnrollmentsTable {
  school_id: string
  id: string
  course_id: string
  user_id: string
  source: 'purchase' | 'plan' | 'grant' | 'import'
  enrolled_at: Generated<Date>
  expires_at: Date | null
  revoked_at: Date | null
  last_lecture_id: string | null
  last_position_seconds: number | null
  last_watched_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
}

/** events: a member's place at an event */
export interface EventRegistrationsTable {
  school_id: string
  id: string
  event_id: string
  user_id: string
  state: Generated<'registered' | 'attended' | 'canceled'>
  registered_at: Generated<Date>
  canceled_at: Date | null
  updated_at: Generated<Date>
  version: Generated<number>
}

/** events: a gathering with a start, an end and perhaps a capacity */
export interface EventsTable {
  school_id: string
  id: string
  slug: string
  title: string
  description: Generated<string>
  state: Generated<'draft' | 'published' | 'canceled'>
  starts_at: Date
  ends_at: Date
  location: Generated<string>
  online_url: string | null
  capacity: number | null
  price_amount: Generated<number>
  currency: string
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
  registration_count: Generated<number>
}

/** analytics: figures that a write made wrong; removed in the transaction that counts them again */
export interface FigureMarksTable {
  school_id: string
  marked_at: Generated<Date>
  id: Generated<string>
  part: string
  key: string
  counted: ColumnType<unknown, string | null | undefined, string | null>
}

/** content: an uploaded file; the bytes lie in the storage under its key */
export interface FilesTable {
  school_id: string
  id: string
  name: string
  content_type: string
  size_bytes: number
  sha256: Buffer
  storage_key: string
  created_by: string | null
  created_at: Generated<Date>
  was_guarded: Generated<boolean>
}

/** content: the answers that a person sent to a form */
export interface FormSubmissionsTable {
  school_id: string
  id: string
  form_id: string
  user_id: string | null
  answers: ColumnType<unknown, string, string>
  submitted_at: Generated<Date>
}

/** content: a questionnaire; fields is a list of {name, label, kind, required} */
export interface FormsTable {
  school_id: string
  id: string
  slug: string
  title: string
  fields: ColumnType<unknown, string | undefined, string>
  state: Generated<'draft' | 'open' | 'closed'>
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
  submission_count: Generated<number>
  once_per_member: Generated<boolean>
}

/** idempotency: the answer to a write, kept a day and found by a hash of its key, authorization, method and path */
export interface IdempotentAnswersTable {
  school_id: string
  key_hash: Buffer
  fingerprint: Buffer
  status: number
  headers: ColumnType<unknown, string, string>
  body: string
  answered_at: Generated<Date>
}

/** setup: one row; a value sealed with the secret of the installation, when readiness last proved that rows can be written, the moment of the last good backup that a server made by itself, and until when one of them works on the next */
export interface InstallationsTable {
  single: Generated<boolean>
  secret_check: Buffer
  written_at: Generated<Date>
  backed_up_at: Date | null
  backup_lease_until: Date | null
}

/** commerce: the invoice of a payment */
export interface InvoicesTable {
  school_id: string
  payment_id: string
  number: string
  issued_at: Generated<Date>
  url: string | null
}

/** jobs: a task that runs in the background, how far it is, and what came of it */
export interface JobsTable {
  school_id: string
  id: string
  kind: string
  title: string
  input: ColumnType<unknown, string, string>
  scopes: Generated<string[]>
  can_cancel: Generated<boolean>
  state: Generated<'waiting' | 'running' | 'done' | 'failed' | 'cancelled'>
  cursor: ColumnType<unknown, string | null | undefined, string | null>
  done_count: Generated<number>
  total_count: number | null
  result: ColumnType<unknown, string | null | undefined, string | null>
  problem: string | null
  files: ColumnType<unknown, string | undefined, string>
  via: string
  user_id: string | null
  client_id: string | null
  authorization_id: string | null
  request_id: string | null
  worker: string | null
  lease_until: Date | null
  attempts: Generated<number>
  cancel_requested: Generated<boolean>
  created_at: Generated<Date>
  started_at: Date | null
  finished_at: Date | null
  expires_at: Date | null
  storing: string | null
  of_member: Generated<boolean>
  session_id: string | null
}

/** analytics: students whose first or last day of learning in a day, week or month is this day */
export interface LearnerDaysTable {
  school_id: string
  span: 'day' | 'week' | 'month'
  day: string
  first_count: number
  last_count: number
}

/** learning: who learned on a day; progress rows only remember the last time */
export interface LearningDaysTable {
  school_id: string
  day: string
  user_id: string
}

/** learning: what a member read or completed; no row means unread */
export interface LectureProgressTable {
  school_id: string
  user_id: string
  course_id: string
  lecture_id: string
  state: 'read' | 'completed'
  position_seconds: Generated<number>
  first_read_at: Generated<Date>
  completed_at: Date | null
  updated_at: Generated<Date>
}

/** learning: how a school presents one of its lecturers */
export interface LecturersTable {
  school_id: string
  user_id: string
  headline: Generated<string>
  bio: Generated<string>
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
}

/** learning: one lesson; dripped by days since enrollment, or at a date, or open at once */
export interface LecturesTable {
  school_id: string
  id: string
  course_id: string
  section_id: string
  position: number
  title: string
  kind: Generated<'video' | 'text' | 'quiz' | 'file'>
  body: Generated<string>
  duration_seconds: Generated<number>
  is_preview: Generated<boolean>
  unlock_after_days: number | null
  unlock_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
  video_url: string | null
  file_id: string | null
  announce_at: Date | null
}

/** people: who can no longer use their passkeys or authenticator, which are removed after a wait */
export interface LostFactorsTable {
  user_id: string
  asked_school_id: string
  asked_at: Generated<Date>
  told_at: Generated<Date>
}

/** notifications: mails with notifications that were queued in a day (UTC), handed over, and refused by the mail server for their address */
export interface MailDaysTable {
  school_id: string
  day: string
  queued: Generated<number>
  sent: Generated<number>
  refused: Generated<number>
}

/** consulting: a member's seat on a slot; a study group's class has none */
export interface MeetingSeatsTable {
  school_id: string
  meeting_id: string
  user_id: string
  booked_at: Generated<Date>
  starts_at: Date | null
}

/** commerce: the courses a plan opens */
export interface MembershipPlanCoursesTable {
  school_id: string
  plan_id: string
  course_id: string
}

/** commerce: a recurring offer */
export interface MembershipPlansTable {
  school_id: string
  id: string
  slug: string
  name: string
  description: Generated<string>
  state: Generated<'draft' | 'published' | 'archived'>
  interval: string
  price_amount: number
  currency: string
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
  active_subscription_count: Generated<number>
}

/** people: links "it was not me" in mails about an account, each good once */
export interface NoticeLinksTable {
  id: string
  secret_hash: Buffer
  school_id: string
  user_id: string
  created_at: Generated<Date>
  expires_at: Date
  used_at: Date | null
}

/** notifications: whether a member wants a topic on a channel */
export interface NotificationSubscriptionsTable {
  school_id: string
  user_id: string
  topic: string
  channel: 'email' | 'in_app'
  enabled: boolean
  updated_at: Generated<Date>
}

/** notifications: one entry in a member's inbox */
export interface NotificationsTable {
  school_id: string
  id: string
  user_id: string
  kind: string
  title: string
  body: Generated<string>
  url: string | null
  created_at: Generated<Date>
  read_at: Date | null
  facts: ColumnType<unknown, string | null | undefined, string | null>
  topic: string | null
  in_inbox: Generated<boolean>
  mail_due_at: Date | null
}

/** commerce: what was bought; a thing of the school, or a line of its own */
export interface OrderItemsTable {
  school_id: string
  order_id: string
  position: number
  title: string
  course_id: string | null
  digital_product_id: string | null
  event_id: string | null
  plan_id: string | null
  quantity: Generated<number>
  unit_amount: number
}

/** commerce: a purchase; operators see it, members see its payments only */
export interface OrdersTable {
  school_id: string
  id: string
  number: string
  user_id: string
  state: 'open' | 'completed' | 'canceled'
  total_amount: number
  currency: string
  completed_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
}

/** people: requests for mail, as typed, until they are sent or dropped */
export interface OutgoingMailsTable {
  id: string
  school_id: string
  kind: string
  email: string
  attempts: Generated<number>
  next_try_at: Generated<Date>
  created_at: Generated<Date>
  facts: ColumnType<unknown, string | undefined, string>
}

/** content: a standing page in Markdown */
export interface PagesTable {
  school_id: string
  id: string
  slug: string
  title: string
  body: Generated<string>
  state: Generated<'draft' | 'published'>
  position: Generated<number>
  published_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
}

/** people: how passkeys name a person at one school; random, so that schools cannot compare people */
export interface PasskeyHandlesTable {
  school_id: string
  user_id: string
  handle: Buffer
  last_challenge_at: Date
}

/** people: passkeys of a person at one school's origin; only public keys are kept */
export interface PasskeysTable {
  school_id: string
  id: string
  user_id: string
  credential_id: Buffer
  public_key: Buffer
  counter: number
  transports: string[]
  backup_eligible: boolean
  backed_up: boolean
  user_verified: boolean
  name: string
  created_at: Generated<Date>
  last_used_at: Date | null
  last_challenge_at: Date
  cloned_at: Date | null
}

/** people: links for a forgotten password, each good once */
export interface PasswordResetsTable {
  id: string
  secret_hash: Buffer
  school_id: string
  user_id: string
  created_at: Generated<Date>
  expires_at: Date
  used_at: Date | null
}

/** commerce: coupon and promotion lines of a payment */
export interface PaymentAdjustmentsTable {
  school_id: string
  payment_id: string
  position: number
  kind: 'coupon' | 'promotion'
  label: string
  amount: number
}

/** commerce: what a payment was for, as it read at the time */
export interface PaymentLinesTable {
  school_id: string
  payment_id: string
  position: number
  title: string
  quantity: Generated<number>
  unit_amount: number
  amount: number
}

/** commerce: one attempt to pay; a retried checkout is another row */
export interface PaymentsTable {
  school_id: string
  id: string
  order_id: string
  user_id: string
  trade_no: string
  amount: number
  currency: string
  payment_type: 'credit_card' | 'atm' | 'convenience_store' | 'free' | null
  state: Generated<'pending' | 'paid' | 'failed' | 'refunded'>
  created_at: Generated<Date>
  paid_at: Date | null
  expires_at: Date | null
  bank_code: string | null
  bank_name: string | null
  code_no: string | null
  installment_count: number | null
  installment_amount: number | null
  refunding_state: Generated<'none' | 'requested' | 'partially_refunded' | 'refunded' | 'rejected'>
  refunded_amount: Generated<number>
  refund_requested_at: Date | null
  refunded_at: Date | null
  updated_at: Generated<Date>
  version: Generated<number>
}

/** people: pictures that people chose; the file store has their bytes */
export interface PersonPicturesTable {
  id: string
  user_id: string
  content_type: 'image/png' | 'image/jpeg' | 'image/webp'
  size_bytes: number
  storage_key: string
  created_at: Generated<Date>
  unused_since: Date | null
}

/** content: a dated article in Markdown */
export interface PostsTable {
  school_id: string
  id: string
  slug: string
  title: string
  body: Generated<string>
  state: Generated<'draft' | 'published'>
  author_id: string | null
  published_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
}

/** grants: how far each sweep of the purge has come */
export interface PurgePositionsTable {
  name: string
  position: string
  kept_at: Generated<Date>
}

/** people: keyed hashes of the codes that work once in place of the authenticator app; a used one is deleted */
export interface RecoveryCodesTable {
  user_id: string
  hash: Buffer
}

/** notifications: up to which moment the members of a school were reminded of what comes */
export interface RemindersTable {
  school_id: string
  until: Generated<Date>
}

/** content: the HTML of a Markdown text that visitors read, by the version of the renderer that made it */
export interface RenderedTextsTable {
  school_id: string
  object_id: string
  renderer: number
  html: string
}

/** schools: schools that are being resumed: what was to expire is moved behind the pause, which ends at until; clock and position say how far that has come */
export interface ResumptionsTable {
  school_id: string
  until: Generated<Date>
  clock: string
  position: string | null
}

/** analytics: payments and refunds of a day in the time zone of the school */
export interface RevenueDaysTable {
  school_id: string
  day: string
  currency: string
  paid_amount: number
  refunded_amount: number
  payment_count: number
}

/**  */
export interface SchemaMigrationsTable {
  number: number
  name: string
  digest: string
  applied_at: Generated<Date>
}

/** analytics: totals of a school; without a row or filled_at, its figures are not counted yet */
export interface SchoolFiguresTable {
  school_id: string
  filled_at: Date | null
  filled_with: Date | null
  student_count: Generated<number>
  active_subscription_count: Generated<number>
  connected_person_count: number | null
  connected_counted_at: Date | null
}

/** people: the roles of a person at a school; a row without roles has left */
export interface SchoolMembersTable {
  school_id: string
  user_id: string
  roles: string[]
  joined_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
  codes_withdrawn_at: Date | null
  signed_in_at: Date | null
  typed_name: string | null
  forgotten_at: Date | null
  invited_at: Date | null
  invitation_opened_at: Date | null
  invitation_due: Generated<boolean>
  typed_email: string | null
}

/** schools: what processes counted for a school in five minutes, kept for a day: CPU of Node, bytes of its connections */
export interface SchoolUsageTable {
  school_id: string
  begins_at: Date
  requests: number
  statements: number
  cpu_micros: number
  bytes: number
}

/** schools: one row per tenant, found by its origin */
export interface SchoolsTable {
  id: string
  subdomain: string
  origin: string
  name: string
  description: Generated<string>
  contact_email: string | null
  locale: Generated<string>
  time_zone: Generated<string>
  currency: Generated<string>
  variant: Generated<'newer' | 'older'>
  mcp_connections: Generated<boolean>
  open_registration: Generated<boolean>
  document_hosts: Generated<string[]>
  end_authorization_on_replay: Generated<boolean>
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
  deleted_at: Date | null
  operator_factor_from: Date | null
  sign_up: Generated<boolean>
  invites_people: Generated<boolean>
  video_hosts: Generated<string[]>
  import_columns: ColumnType<unknown, string | undefined, string>
  suspended_at: Date | null
  quiet_causes: Generated<string[]>
}

/** learning: a chapter of a course */
export interface SectionsTable {
  school_id: string
  id: string
  course_id: string
  position: number
  title: string
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
}

/** setup: the one code that makes the first school; here and not in memory, because several processes serve its page */
export interface SetupCodesTable {
  single: Generated<boolean>
  code_hash: Buffer
  made_at: Generated<Date>
  tries: Generated<number>
}

/** people: failed sign-ins per account and per address; the bucket is a keyed hash */
export interface SignInThrottlesTable {
  bucket: Buffer
  failures: number
  window_ends_at: Date
}

/** schools: ES256 keys; published first, active once every cache has them, retired last */
export interface SigningKeysTable {
  school_id: string
  kid: string
  stage: 'published' | 'active' | 'retired'
  public_jwk: ColumnType<unknown, string, string>
  sealed_private_key: Buffer
  published_at: Generated<Date>
  activated_at: Date | null
  retired_at: Date | null
}

/** consulting: the roster, which is the attendee list of the group's classes */
export interface StudyGroupMembersTable {
  school_id: string
  group_id: string
  user_id: string
  joined_at: Generated<Date>
}

/** consulting: members who meet as a class */
export interface StudyGroupsTable {
  school_id: string
  id: string
  name: string
  course_id: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
  member_count: Generated<number>
}

/** commerce: a member's running plan */
export interface SubscriptionsTable {
  school_id: string
  id: string
  plan_id: string
  user_id: string
  state: 'active' | 'past_due' | 'canceled'
  started_at: Generated<Date>
  current_period_starts_at: Date
  current_period_ends_at: Date
  cancel_at_period_end: Generated<boolean>
  canceled_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
}

/** grants: an access token and its refresh token, one revocation stamp */
export interface TokenPairsTable {
  id: string
  authorization_id: string
  bound_school_id: string | null
  scopes: string[]
  access_hash: Buffer
  refresh_hash: Buffer
  previous_id: string | null
  issued_at: Generated<Date>
  access_expires_at: Date
  refresh_expires_at: Date
  first_used_at: Date | null
  revoked_at: Date | null
}

/** people: browsers in which a password sign-in at one school does not ask for a code, for 30 days */
export interface TrustedDevicesTable {
  id: string
  secret_hash: Buffer
  school_id: string
  user_id: string
  created_at: Generated<Date>
  expires_at: Date
}

/** people: a person, the same at every school */
export interface UsersTable {
  id: string
  email: string | null
  name: string
  avatar_url: string | null
  password_hash: string | null
  password_changed_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  version: Generated<number>
  deleted_at: Date | null
}

/** clients: known integrations of this installation, matched by their exact name */
export interface VendorPlatformsTable {
  client_id: string
  client_name: string
  redirect_uris: string[]
  created_at: Generated<Date>
  shipped_version: number | null
  disabled_at: Date | null
}

export interface DB {
  app_activity: AppActivityTable
  app_activity_sums: AppActivitySumsTable
  appearances: AppearancesTable
  audit_entries: AuditEntriesTable
  authenticators: AuthenticatorsTable
  authorization_codes: AuthorizationCodesTable
  authorizations: AuthorizationsTable
  browser_sessions: BrowserSessionsTable
  calendar_feeds: CalendarFeedsTable
  client_documents: ClientDocumentsTable
  client_logos: ClientLogosTable
  clients: ClientsTable
  comments: CommentsTable
  consulting_meetings: ConsultingMeetingsTable
  consulting_service_courses: ConsultingServiceCoursesTable
  consulting_services: ConsultingServicesTable
  consulting_slots: ConsultingSlotsTable
  coupon_redemptions: CouponRedemptionsTable
  coupons: CouponsTable
  course_figures: CourseFiguresTable
  course_lecturers: CourseLecturersTable
  courses: CoursesTable
  deletion_requests: DeletionRequestsTable
  digital_product_accesses: DigitalProductAccessesTable
  digital_products: DigitalProductsTable
  email_changes: EmailChangesTable
  enrollment_days: EnrollmentDaysTable
  enrollments: EnrollmentsTable
  event_registrations: EventRegistrationsTable
  events: EventsTable
  figure_marks: FigureMarksTable
  files: FilesTable
  form_submissions: FormSubmissionsTable
  forms: FormsTable
  idempotent_answers: IdempotentAnswersTable
  installations: InstallationsTable
  invoices: InvoicesTable
  jobs: JobsTable
  learner_days: LearnerDaysTable
  learning_days: LearningDaysTable
  lecture_progress: LectureProgressTable
  lecturers: LecturersTable
  lectures: LecturesTable
  lost_factors: LostFactorsTable
  mail_days: MailDaysTable
  meeting_seats: MeetingSeatsTable
  membership_plan_courses: MembershipPlanCoursesTable
  membership_plans: MembershipPlansTable
  notice_links: NoticeLinksTable
  notification_subscriptions: NotificationSubscriptionsTable
  notifications: NotificationsTable
  order_items: OrderItemsTable
  orders: OrdersTable
  outgoing_mails: OutgoingMailsTable
  pages: PagesTable
  passkey_handles: PasskeyHandlesTable
  passkeys: PasskeysTable
  password_resets: PasswordResetsTable
  payment_adjustments: PaymentAdjustmentsTable
  payment_lines: PaymentLinesTable
  payments: PaymentsTable
  person_pictures: PersonPicturesTable
  posts: PostsTable
  purge_positions: PurgePositionsTable
  recovery_codes: RecoveryCodesTable
  reminders: RemindersTable
  rendered_texts: RenderedTextsTable
  resumptions: ResumptionsTable
  revenue_days: RevenueDaysTable
  schema_migrations: SchemaMigrationsTable
  school_figures: SchoolFiguresTable
  school_members: SchoolMembersTable
  school_usage: SchoolUsageTable
  schools: SchoolsTable
  sections: SectionsTable
  setup_codes: SetupCodesTable
  sign_in_throttles: SignInThrottlesTable
  signing_keys: SigningKeysTable
  study_group_members: StudyGroupMembersTable
  study_groups: StudyGroupsTable
  subscriptions: SubscriptionsTable
  token_pairs: TokenPairsTable
  trusted_devices: TrustedDevicesTable
  users: UsersTable
  vendor_platforms: VendorPlatformsTable
}
