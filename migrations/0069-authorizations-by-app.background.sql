-- The people of an app, in pages, and how many they are.
create index concurrently if not exists authorizations_by_app
  on authorizations (school_id, client_id, user_id);
