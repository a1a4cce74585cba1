-- Whether a member has answered a form, and the answers of a member who is forgotten.
create index concurrently if not exists form_submissions_by_member on form_submissions (school_id, user_id, form_id);
