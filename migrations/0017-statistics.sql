-- An id belongs to one school, which PostgreSQL does not know: it takes school_id and course_id for
-- independent, expects a single row for the two of them once there are many schools, and then finds any
-- index that begins with them as good as the one that has the whole key. Every check that a lecture exists
-- read all lectures of its course. These objects tell it which columns follow from which.

create statistics comments_ids (dependencies) on school_id, lecture_id, user_id from comments;
create statistics consulting_meetings_ids (dependencies) on school_id, service_id, study_group_id from consulting_meetings;
create statistics consulting_slots_ids (dependencies) on school_id, service_id from consulting_slots;
create statistics coupon_redemptions_ids (dependencies) on school_id, coupon_id, order_id, user_id from coupon_redemptions;
create statistics digital_product_accesses_ids (dependencies) on school_id, product_id, user_id from digital_product_accesses;
create statistics enrollments_ids (dependencies) on school_id, course_id, user_id from enrollments;
create statistics event_registrations_ids (dependencies) on school_id, event_id, user_id from event_registrations;
create statistics form_submissions_ids (dependencies) on school_id, form_id from form_submissions;
create statistics lecture_progress_ids (dependencies) on school_id, user_id, course_id, lecture_id from lecture_progress;
create statistics lectures_ids (dependencies) on school_id, course_id, section_id from lectures;
create statistics notifications_ids (dependencies) on school_id, user_id from notifications;
create statistics orders_ids (dependencies) on school_id, user_id from orders;
create statistics payments_ids (dependencies) on school_id, order_id from payments;
create statistics sections_ids (dependencies) on school_id, course_id from sections;
create statistics subscriptions_ids (dependencies) on school_id, user_id, plan_id from subscriptions;

analyze comments, consulting_meetings, consulting_slots, coupon_redemptions, digital_product_accesses,
  enrollments, event_registrations, form_submissions, lecture_progress, lectures, notifications, orders,
  payments, sections, subscriptions;
