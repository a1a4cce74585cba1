-- Checks that compare columns get a name that says their rule, in place of a generated one.
-- Renaming takes a short lock and reads no rows.

alter table authorization_codes rename constraint authorization_codes_check to authorization_codes_consumed_with_pair;
alter table authorization_codes rename constraint authorization_codes_check1 to authorization_codes_member_has_resource;
alter table client_documents rename constraint client_documents_check to client_documents_document_or_failure;
alter table clients rename constraint clients_check to clients_confidential_has_secret;
alter table clients rename constraint clients_check1 to clients_platform_is_public_operator;
alter table consulting_meetings rename constraint consulting_meetings_check to consulting_meetings_service_or_group;
alter table consulting_meetings rename constraint consulting_meetings_check1 to consulting_meetings_class_not_scheduled;
alter table consulting_meetings rename constraint consulting_meetings_check2 to consulting_meetings_end_after_start;
alter table coupons rename constraint coupons_check to coupons_percent_or_amount;
alter table coupons rename constraint coupons_check1 to coupons_amount_has_currency;
alter table coupons rename constraint coupons_check2 to coupons_end_after_start;
alter table courses rename constraint courses_check to courses_published_has_time;
alter table courses rename constraint courses_check1 to courses_archived_with_time;
alter table enrollments rename constraint enrollments_check to enrollments_end_after_start;
alter table event_registrations rename constraint event_registrations_check to event_registrations_canceled_with_time;
alter table events rename constraint events_check to events_end_after_start;
alter table lecture_progress rename constraint lecture_progress_check to lecture_progress_completed_with_time;
alter table lectures rename constraint lectures_check to lectures_one_unlock;
alter table order_items rename constraint order_items_check to order_items_one_thing;
alter table orders rename constraint orders_check to orders_completed_with_time;
alter table pages rename constraint pages_check to pages_published_has_time;
alter table payments rename constraint payments_check to payments_refund_within_amount;
alter table payments rename constraint payments_check1 to payments_paid_with_time;
alter table payments rename constraint payments_check2 to payments_installments_whole;
alter table payments rename constraint payments_check3 to payments_refund_request_with_time;
alter table payments rename constraint payments_check4 to payments_refund_with_time;
alter table payments rename constraint payments_check5 to payments_refunded_in_both_states;
alter table payments rename constraint payments_check6 to payments_instructions_by_type;
alter table posts rename constraint posts_check to posts_published_has_time;
alter table signing_keys rename constraint signing_keys_check to signing_keys_published_or_retired_times;
alter table signing_keys rename constraint signing_keys_check1 to signing_keys_active_times;
alter table subscriptions rename constraint subscriptions_check to subscriptions_period_end_after_start;
alter table subscriptions rename constraint subscriptions_check1 to subscriptions_canceled_has_time;
alter table users rename constraint users_check to users_email_until_deleted;
alter table users rename constraint users_check1 to users_deleted_without_password;
