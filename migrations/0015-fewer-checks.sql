-- What every new row is checked against, once instead of twice. Where a row belongs to an object of its
-- school by a key that is never null, that object's own key leads to the school: a second look at schools
-- costs a sixth of the time of an insert and finds nothing new. A school with such rows still cannot be
-- deleted, because the objects they belong to hold it.

alter table authorization_codes drop constraint authorization_codes_school_id_fkey;
alter table authorizations drop constraint authorizations_school_id_fkey;
alter table comments drop constraint comments_school_id_fkey;
alter table consulting_service_courses drop constraint consulting_service_courses_school_id_fkey;
alter table consulting_slots drop constraint consulting_slots_school_id_fkey;
alter table coupon_redemptions drop constraint coupon_redemptions_school_id_fkey;
alter table course_lecturers drop constraint course_lecturers_school_id_fkey;
alter table digital_product_accesses drop constraint digital_product_accesses_school_id_fkey;
alter table enrollments drop constraint enrollments_school_id_fkey;
alter table event_registrations drop constraint event_registrations_school_id_fkey;
alter table form_submissions drop constraint form_submissions_school_id_fkey;
alter table invoices drop constraint invoices_school_id_fkey;
alter table learning_days drop constraint learning_days_school_id_fkey;
alter table lecture_progress drop constraint lecture_progress_school_id_fkey;
alter table lecturers drop constraint lecturers_school_id_fkey;
alter table lectures drop constraint lectures_school_id_fkey;
alter table meeting_seats drop constraint meeting_seats_school_id_fkey;
alter table membership_plan_courses drop constraint membership_plan_courses_school_id_fkey;
alter table notification_subscriptions drop constraint notification_subscriptions_school_id_fkey;
alter table notifications drop constraint notifications_school_id_fkey;
alter table order_items drop constraint order_items_school_id_fkey;
alter table orders drop constraint orders_school_id_fkey;
alter table payment_adjustments drop constraint payment_adjustments_school_id_fkey;
alter table payment_lines drop constraint payment_lines_school_id_fkey;
alter table payments drop constraint payments_school_id_fkey;
alter table sections drop constraint sections_school_id_fkey;
alter table study_group_members drop constraint study_group_members_school_id_fkey;
alter table subscriptions drop constraint subscriptions_school_id_fkey;

-- A repetition with bounds is unrolled for every match; the same rule in two parts is not.
alter table notifications
  drop constraint notifications_kind_check,
  add constraint notifications_kind_check check (length(kind) between 1 and 64 and kind !~ '[^a-z_]');

-- Nothing is looked up by person and id together.
alter table notifications
  drop constraint notifications_pkey,
  drop constraint notifications_school_id_id_key,
  add primary key (school_id, id);
