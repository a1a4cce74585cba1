-- The people of an app, in pages, and how many they are, without the authorizations that were ended.
create index concurrently if not exists authorizations_live_by_app
  on authorizations (school_id, client_id, access_round, user_id) where revoked_at is null;
