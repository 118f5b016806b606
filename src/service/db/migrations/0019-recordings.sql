-- Where the service's own recordings are found is put together when it is asked for, and not kept: the service may move.

UPDATE calls SET recording_url = NULL WHERE recording_token IS NOT NULL;
